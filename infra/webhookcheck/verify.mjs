// Lets the library of npm verify attempts. It reads them from its input (attempt in webhookcheck_test.go), and prints a verdict on each.
import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';

const verdicts = JSON.parse(readFileSync(0)).map(({ secret, headers, body }) => {
  try {
    return { says: new Webhook(secret).verify(Buffer.from(body, 'base64'), headers) };
  } catch (error) {
    return { error: error.name, says: error.message };
  }
});
process.stdout.write(JSON.stringify(verdicts));
