/** `brokerwire decode`: decodes recorded payloads, or reports errors in them. */
import type { CommandDefinition } from '../frame/definition.ts'

export const decode: CommandDefinition = {
  name: 'decode',
  summary: 'read payloads or lines of `listen --json` from standard input, and print their events',
  details: [
    'A payload is an object on a line of its own or on several lines. What it is, is seen by its fields: --as says it where they do not. What cannot be decoded is a line on standard error with its line, its field and what was expected, and the status is then 1; the rest is decoded. Notices and undecodable messages among the lines of `listen --json` are left out.',
    'With --json each payload is an object on a line: schemas/decode.schema.json in this package.',
  ],
  options: [
    {
      flags: '--as <kind>',
      help: 'what the payloads are; default: seen by their fields',
      choices: ['order', 'position', 'module'],
    },
    {
      flags: '--event-type <name>',
      help: 'event type of payloads of modules that do not name theirs, such as FUNDING',
    },
    {
      flags: '--strict',
      help: 'every difference from the documents is said, and an unreadable field is an error',
    },
    { flags: '--json', help: 'one JSON object a payload: line, kind, decoded payload, or what is wrong' },
  ],
  examples: [
    { does: 'a payload that was kept', line: 'brokerwire decode < payload.json' },
    {
      does: 'what differs from the documents in the events of an hour',
      line: 'brokerwire listen module --json --timeout 1h | brokerwire decode --strict > events.txt',
    },
    {
      does: 'the decoded payloads for a program',
      line: 'brokerwire decode --json < events.jsonl | jq -c .decoded',
    },
  ],
  load: () => import('../run/decode.ts'),
}
