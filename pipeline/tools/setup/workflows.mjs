// Holds workflows against GitHub's own language service, which comes with the tools of package-lock.json.
// Usage: node workflows.mjs FILE ...; exit code 1 when something is wrong.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { TextDocument } from "vscode-languageserver-textdocument";

// The service imports its schemas without saying that they are JSON, as Node asks; its own users bundle it.
registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith(".json") ? { ...context, importAttributes: { type: "json" } } : context),
});
const { validate } = await import("@actions/languageservice");

// The service takes any word for a runner, since whoever runs his own names it as he likes; here only this one is asked.
const RUNNER = "ubuntu-24.04";

const told = [];
for (const file of process.argv.slice(2)) {
  const text = TextDocument.create(pathToFileURL(file).href, "yaml", 1, readFileSync(file, "utf8"));
  for (const { message, range } of await validate(text)) {
    told.push(`${file}:${range.start.line + 1}:${range.start.character + 1}: ${message}`);
  }
  for (const found of text.getText().matchAll(/runs-on: *(.+)/g)) {
    if (found[1].trim() === RUNNER) continue;
    told.push(`${file}:${text.positionAt(found.index).line + 1}: the runner is ${found[1]}; it must be ${RUNNER}`);
  }
}
for (const line of told) console.log(line);
process.exit(told.length > 0 ? 1 : 0);
