/** `brokerwire request`: a signed call with the stored token. */
import type { CommandDefinition } from '../frame/definition.ts'
import { STORE_OPTIONS } from '../frame/store-options.ts'
import { requestTime } from '../number-option.ts'

export const request: CommandDefinition = {
  name: 'request',
  summary: 'send a signed request with the stored token, and print the answer',
  details: [
    'The answer goes to standard output as it came; on a terminal what would steer it is shown as escapes. One that is no text in UTF-8 is not printed: HTTP_INVALID_RESPONSE says so, and the service has taken the request. A request that needs a token takes the stored one. In the sandbox one is created where there is none; in production that needs a person, so it takes --create.',
  ],
  args: [
    { name: '<method>', help: 'GET, HEAD, POST, PUT, PATCH or DELETE' },
    { name: '<path>', help: 'from / on, percent-encoded, without a query' },
  ],
  options: [
    { flags: '--query <name=value>', help: 'a pair of the query, decoded', repeats: true },
    { flags: '--body <json>', help: 'the body, exactly as it will be sent; - reads standard input' },
    { flags: '--body-file <file>', help: 'a file with the body; - reads standard input' },
    { flags: '--header <name: value>', help: 'another header', repeats: true },
    { flags: '--api-version <version>', help: 'x-version; default: v2', choices: ['v2', 'v3'] },
    { flags: '--no-token', help: 'without an access token' },
    { flags: '--create', help: 'ask for a token where there is none, and wait for its second factor' },
    { flags: '--include', help: 'print the status and the headers of the answer, too' },
    { flags: '--dry-run', help: 'print what would be sent, and send nothing' },
    {
      flags: '--curl',
      help: 'print a curl command with the signature, and send nothing; the token stands in it as $BROKERWIRE_ACCESS_TOKEN, and nothing of the request among its arguments, which a process list shows',
    },
    {
      flags: '--timeout <duration>',
      help: 'of each attempt, at most 1d',
      parse: requestTime(),
      defaultValue: '30s',
    },
    ...STORE_OPTIONS,
  ],
  examples: [
    { does: 'what the service says of its tokens', line: 'brokerwire request GET /openapi/config' },
    {
      does: 'with a query, and the headers of the answer',
      line: 'brokerwire request GET /openapi/config --query page=1 --query size=10 --include',
    },
    {
      does: 'a body from standard input',
      line: `echo '{"client_user_id":"a"}' | brokerwire request POST /auth/client-tokens/create --no-token --body -`,
    },
    { does: 'the same request for curl', line: 'brokerwire request GET /openapi/config --curl' },
  ],
  load: () => import('../run/request.ts'),
}
