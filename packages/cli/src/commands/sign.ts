/** `brokerwire sign URL`: prints the headers of a signed request, and optionally the string that was signed. */
import type { CommandDefinition } from '../frame/definition.ts'
import { CREDENTIAL_OPTIONS, JSON_OPTION } from '../frame/setting-options.ts'

export const sign: CommandDefinition = {
  name: 'sign',
  summary: 'sign a request: prints the URL and the headers to send',
  args: [{ name: '[url]', help: 'absolute URL of the request' }],
  options: [
    { flags: '--body <text>', help: 'body, exactly as it will be sent' },
    { flags: '--body-file <file>', help: 'file with the body, exactly as it will be sent' },
    {
      flags: '--stream',
      help: 'sign the serialized stream request in --body-file instead of an HTTP request',
    },
    {
      flags: '--algorithm <name>',
      help: 'default: HMAC-SHA1, for streams HMAC-SHA256',
      choices: ['HMAC-SHA1', 'HMAC-SHA256'],
    },
    {
      flags: '--api-version <version>',
      help: 'adds x-version, which takes no part in the signature',
      choices: ['v2', 'v3'],
    },
    {
      flags: '--canonical',
      help: 'print the string that was signed, before its encoding, and nothing else; with --json beside the rest',
    },
    JSON_OPTION,
    ...CREDENTIAL_OPTIONS,
  ],
  examples: [
    {
      does: 'the string behind the signature, as `compare` takes it',
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
