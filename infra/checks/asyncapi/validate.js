// Prints what the official parser finds wrong in an AsyncAPI document, as JSON: node validate.js FILE.
const fs = require("fs");
const { Parser } = require("@asyncapi/parser");

new Parser().parse(fs.readFileSync(process.argv[2], "utf8")).then(({ diagnostics }) => {
  console.log(JSON.stringify(diagnostics.map(({ code, message, severity, path }) => ({ code, message, severity, path }))));
});
