/** `brokerwire decode`: decodes recorded payloads, or reports errors in them. */
import type { CommandDefinition } from '../frame/definition.ts'

export const decode: CommandDefinition = {
  name: 'decode',
  summary: 'decode payloads or lines of `listen --json` from standard input',
  details: [
    'A payload is a JSON object on one or several lines. Its kind is detected from its fields, unless --as is set. For each invalid payload, a line on standard error has the line, the field and the expected value; the others are decoded, and the status is 1. Notices and undecodable messages in lines of `listen --json` are skipped.',
    'With --json, each payload is printed as one line of JSON. The schema is schemas/decode.schema.json in this package.',
  ],
  options: [
    {
      flags: '--as <kind>',
      help: 'kind of the payloads; default: detected from their fields',
      choices: ['order', 'position', 'module'],
    },
    {
      flags: '--event-type <name>',
      help: 'event type of module payloads that do not contain it, such as FUNDING',
    },
    {
      flags: '--strict',
      help: 'report every difference from the documents, and treat an unreadable field as an error',
    },
    {
      flags: '--json',
      help: 'print one JSON object for each payload: line, kind, decoded payload, or the error',
    },
  ],
  examples: [
    { does: 'decode a saved payload', line: 'brokerwire decode < payload.json' },
    {
      does: 'report differences from the documents in events of an hour',
      line: 'brokerwire listen module --json --timeout 1h | brokerwire decode --strict > events.txt',
    },
    {
      does: 'decoded payloads for a program',
      line: 'brokerwire decode --json < events.jsonl | jq -c .decoded',
    },
  ],
  load: () => import('../run/decode.ts'),
}
