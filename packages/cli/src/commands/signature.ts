/** `brokerwire verify`, `explain`, `compare`: check signatures and explain them. */
import type { ArgumentDefinition, CommandDefinition, OptionDefinition } from '../frame/definition.ts'
import { CREDENTIAL_OPTIONS, JSON_OPTION } from '../frame/setting-options.ts'
import { timeSpan } from '../number-option.ts'
import { REQUEST_FORMATS } from '../signature/formats/names.ts'

const FORMATS = [
  'A captured request is a raw HTTP request (also as printed by `curl --verbose`), a `curl` command, a HAR, or JSON. The format is detected from the content, unless --format is set. Nothing is executed, and no secret is printed.',
  'A raw HTTP request is a request line, headers, a blank line and the body. With Content-Length the body must have that length. Without it, one line break at the end of the file is not part of the body.',
  'A `curl` command may use the quoting of POSIX shells and $\'...\', as browsers copy it with "cURL (bash)", but not the cmd form. Variables, pipes and files are errors. An unknown option is named in the error.',
  'From a HAR, the only signed request is used, or the one that --entry selects. A single entry, or its request, is accepted too.',
  'The JSON object has the properties url, headers and body (bodyHex for bytes), or headers and requestHex for a stream. It may also have the signer options host, headerCollision and nameOrder. `sign --json` prints it.',
]
const REQUEST: ArgumentDefinition = {
  name: '<request>',
  help: 'file with a captured request: raw HTTP, a curl command, a HAR or JSON; - reads standard input',
  completes: 'files',
}
const CAPTURED_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--format <name>',
    help: 'format of the captured request; default: detected from the content',
    choices: REQUEST_FORMATS,
  },
  {
    flags: '--entry <which>',
    help: 'request of a HAR: its number, from 1, or a part of its URL; default: the only signed one',
  },
  { flags: '--body <text>', help: 'request body, instead of the one in the file' },
  { flags: '--body-file <file>', help: 'file with the body as it was sent' },
]

export const signature: readonly CommandDefinition[] = [
  {
    name: 'explain',
    summary: 'show step by step how a captured request is signed; needs no secret',
    details: FORMATS,
    args: [REQUEST],
    options: [...CAPTURED_OPTIONS, JSON_OPTION],
    examples: [
      {
        does: 'the steps of a signature',
        line: 'brokerwire sign https://api.example.com/a --json | brokerwire explain -',
      },
      { does: 'a command that a browser copied as "cURL (bash)"', line: 'brokerwire explain request.sh' },
    ],
    load: () => import('../run/explain.ts'),
  },
  {
    name: 'compare',
    summary: 'find the first difference of two canonical strings, and its cause; status 1 if they differ',
    details: [
      '<ours> is a captured request or a canonical string; <theirs> is a canonical string, percent-encoded or not. With a captured request, known changes of the body are recognized too.',
      ...FORMATS,
    ],
    args: [
      {
        name: '<ours>',
        help: 'file with a captured request in any format, or a canonical string; - reads standard input',
        completes: 'files',
      },
      {
        name: '<theirs>',
        help: "file with the other side's canonical string; - reads standard input",
        completes: 'files',
      },
    ],
    options: [...CAPTURED_OPTIONS, JSON_OPTION],
    examples: [
      { does: 'the cause of a wrong signature', line: 'brokerwire compare request.json theirs.txt' },
      {
        does: 'compare our string with that of another client',
        line: "brokerwire sign 'https://api.example.com/a?b=2&a=1' --canonical | brokerwire compare - theirs.txt",
      },
    ],
    load: () => import('../run/compare.ts'),
  },
  {
    name: 'verify',
    summary: 'check the signature of a captured request; status 1 if it is wrong',
    details: [
      'Needs the app secret. Prints the first rule that failed, and for a wrong signature the string that should have been signed.',
      ...FORMATS,
    ],
    args: [REQUEST],
    options: [
      ...CAPTURED_OPTIONS,
      {
        flags: '--window <duration>',
        help: 'largest distance of the timestamp from now; a captured request may be old',
        parse: timeSpan(),
        defaultValue: '1d',
      },
      JSON_OPTION,
      ...CREDENTIAL_OPTIONS,
    ],
    examples: [
      {
        does: 'check a signature',
        line: `brokerwire sign https://api.example.com/a --body '{"qty":"1"}' --json | brokerwire verify -`,
      },
      {
        does: 'a request of a HAR, by a part of its URL',
        line: 'brokerwire verify session.har --entry /trade/order',
      },
    ],
    load: () => import('../run/verify.ts'),
  },
]
