// Style of the scripts: what a reviewer would ask for, so that nobody has to.
import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["docs/javascripts/vendor/", "site/", ".venv*/", ".cache/"] },
  js.configs.recommended,
  {
    files: ["docs/javascripts/*.js"],
    languageOptions: { ecmaVersion: 2023, sourceType: "module", globals: { ...globals.browser, document$: "readonly" } },
    rules: {
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": "error",
      "no-implicit-coercion": ["error", { boolean: false }],
      "no-restricted-properties": ["error", { property: "innerHTML", message: "clone a <template> or set textContent" }],
      "object-shorthand": "error",
      "prefer-template": "error",
    },
  },
  {
    files: ["pipeline/tools/setup/*.mjs"],
    languageOptions: { ecmaVersion: 2023, sourceType: "module", globals: globals.node },
  },
];
