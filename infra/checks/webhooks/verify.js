// Verifies a message with the official library: node verify.js FILE, with the secret, the headers and the body as JSON.
const fs = require("fs");
const { Webhook } = require("standardwebhooks");

const { secret, headers, body } = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
new Webhook(secret).verify(body, headers);
