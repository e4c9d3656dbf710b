/** `brokerwire verify`, `explain`, `compare`: check signatures and explain them. */
import type { ArgumentDefinition, CommandDefinition, OptionDefinition } from '../frame/definition.ts'
import { CREDENTIAL_OPTIONS, JSON_OPTION } from '../frame/setting-options.ts'
import { timeSpan } from '../number-option.ts'
import { REQUEST_FORMATS } from '../signature/formats/names.ts'

const FORMATS = [
  'A captured request is a raw HTTP request (also as `curl --verbose` prints it), a `curl` command, a HAR, or JSON. Its content says which; --format decides otherwise. Nothing is executed, and no secret in it is printed.',
  'A raw HTTP request is a request line, headers, a blank line and the body. With Content-Length the body must have that length; without, one line end at the end of the file is not part of it.',
  'Of a `curl` command the quoting of POSIX shells and $\'...\' is read: what a browser copies as "cURL (bash)", not its cmd form. Variables, pipes and files that it names are errors. An option that is not known here is named.',
  'Of a HAR the only signed request is read, or the one of --entry. An entry, or its request, is read as well.',
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
    help: 'how the captured request is read; default: by its content',
    choices: REQUEST_FORMATS,
  },
  {
    flags: '--entry <which>',
    help: 'which request of a HAR: its number, from 1, or a part of its URL; default: the only signed one',
  },
  { flags: '--body <text>', help: 'the body, instead of the one in the file' },
  { flags: '--body-file <file>', help: 'a file with the body as it was sent' },
]

export const signature: readonly CommandDefinition[] = [
  {
    name: 'explain',
    summary: 'show how a captured request was signed, step by step; needs no secret',
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
    summary: 'find where two canonical strings differ first, and why; status 1 where they differ',
    details: [
      'Ours is a captured request or a canonical string, theirs a canonical string, percent-encoded or not. With a captured request its body is known, and changes on the way are recognized.',
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
        does: 'our string beside the one that another client signed',
        line: "brokerwire sign 'https://api.example.com/a?b=2&a=1' --canonical | brokerwire compare - theirs.txt",
      },
    ],
    load: () => import('../run/compare.ts'),
  },
  {
    name: 'verify',
    summary: 'check the signature of a captured request; status 1 where it is wrong',
    details: [
      'With the app secret of the request. Says the first rule that failed; for a wrong signature the string that should have been signed.',
      ...FORMATS,
    ],
    args: [REQUEST],
    options: [
      ...CAPTURED_OPTIONS,
      {
        flags: '--window <duration>',
        help: 'how far the timestamp may be from now; a captured request may be old',
        parse: timeSpan(),
        defaultValue: '1d',
      },
      JSON_OPTION,
      ...CREDENTIAL_OPTIONS,
    ],
    examples: [
      {
        does: 'whether a signature is right',
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
