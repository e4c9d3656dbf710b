/** `brokerwire sign URL`: prints the headers of a signed request, and optionally the string that was signed. */
import type { CommandDefinition } from '../frame/definition.ts'
import { CREDENTIAL_OPTIONS, JSON_OPTION } from '../frame/setting-options.ts'

export const sign: CommandDefinition = {
  name: 'sign',
  summary: 'sign a request: prints the URL and the headers to send',
  args: [{ name: '[url]', help: 'absolute URL of the request' }],
  options: [
    { flags: '--body <text>', help: 'request body, byte for byte as it will be sent' },
    { flags: '--body-file <file>', help: 'file with the body, byte for byte as it will be sent' },
    {
      flags: '--stream',
      help: 'sign the serialized stream request in --body-file instead of an HTTP request',
    },
    {
      flags: '--algorithm <name>',
      help: 'signature algorithm; default: HMAC-SHA1, for streams HMAC-SHA256',
      choices: ['HMAC-SHA1', 'HMAC-SHA256'],
    },
    {
      flags: '--api-version <version>',
      help: 'value of x-version, which is not signed',
      choices: ['v2', 'v3'],
    },
    {
      flags: '--canonical',
      help: 'print only the canonical string before percent-encoding; with --json in addition to the rest',
    },
    JSON_OPTION,
    ...CREDENTIAL_OPTIONS,
  ],
  examples: [
    {
      does: 'the canonical string, as input of `compare`',
      line: "brokerwire sign 'https://api.example.com/a?b=2&a=1' --canonical",
    },
    { does: 'the headers for a GET', line: "brokerwire sign 'https://api.example.com/a?b=2&a=1'" },
    {
      does: 'the headers for a POST',
      line: `brokerwire sign https://api.example.com/orders --body '{"qty":"1"}'`,
    },
  ],
  load: () => import('../run/sign.ts'),
}
