/** `brokerwire verify`, `explain`, `compare`: what was signed, whether it is right, and why not. */
import type { ArgumentDefinition, CommandDefinition, OptionDefinition } from '../frame/definition.ts'
import { CREDENTIAL_OPTIONS, JSON_OPTION } from '../frame/setting-options.ts'
import { timeSpan } from '../number-option.ts'

const CAPTURED =
  'A captured request is JSON with url, headers and, where there is one, body (or bodyHex, where it is no text); of a stream headers and requestHex. What the signer has otherwise than usual stands in it, too: host, headerCollision, nameOrder. What `sign --json` prints is one, and so is whole.'
const REQUEST: ArgumentDefinition = {
  name: '<request>',
  help: 'file with a captured request; - reads standard input',
  completes: 'files',
}
const BODY_OPTIONS: readonly OptionDefinition[] = [
  { flags: '--body <text>', help: 'the body, instead of the one in the file' },
  { flags: '--body-file <file>', help: 'a file with the body as it was sent' },
]

export const signature: readonly CommandDefinition[] = [
  {
    name: 'explain',
    summary: 'show how a captured request was signed, step by step; needs no secret',
    details: [CAPTURED],
    args: [REQUEST],
    options: [...BODY_OPTIONS, JSON_OPTION],
    examples: [
      {
        does: 'the steps of a signature',
        line: 'brokerwire sign https://api.example.com/a --json | brokerwire explain -',
      },
    ],
    load: () => import('../run/explain.ts'),
  },
  {
    name: 'compare',
    summary: 'find where two canonical strings differ first, and why; status 1 where they differ',
    details: [
      'Ours is a captured request or a canonical string, theirs a canonical string, percent-encoded or not. With a captured request its body is known, and changes on the way are recognized.',
      CAPTURED,
    ],
    args: [
      {
        name: '<ours>',
        help: 'file with a captured request or a canonical string; - reads standard input',
        completes: 'files',
      },
      {
        name: '<theirs>',
        help: "file with the other side's canonical string; - reads standard input",
        completes: 'files',
      },
    ],
    options: [...BODY_OPTIONS, JSON_OPTION],
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
      CAPTURED,
    ],
    args: [REQUEST],
    options: [
      ...BODY_OPTIONS,
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
    ],
    load: () => import('../run/verify.ts'),
  },
]
