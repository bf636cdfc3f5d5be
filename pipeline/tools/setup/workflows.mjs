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

let wrong = 0;
for (const file of process.argv.slice(2)) {
  const text = TextDocument.create(pathToFileURL(file).href, "yaml", 1, readFileSync(file, "utf8"));
  for (const { message, range } of await validate(text)) {
    console.log(`${file}:${range.start.line + 1}:${range.start.character + 1}: ${message}`);
    wrong += 1;
  }
}
process.exit(wrong > 0 ? 1 : 0);
