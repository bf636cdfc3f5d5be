// Tables as files that a spreadsheet opens.

/** A text as a field of a CSV; one from outside never begins a formula. @param {string} text */
export function safe(text) {
  const plain = /^[=+@\-\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Rows of texts as a CSV. @param {string[][]} rows */
export const lines = (rows) => rows.map((row) => `${row.map(safe).join(",")}\n`).join("");

/** Hand a file to the reader. @param {string} text @param {string} name */
export function save(text, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
