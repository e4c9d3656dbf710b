/** `brokerwire request`: a signed call with the stored token. */
import type { CommandDefinition } from '../frame/definition.ts'
import { STORE_OPTIONS } from '../frame/store-options.ts'
import { requestTime } from '../number-option.ts'

export const request: CommandDefinition = {
  name: 'request',
  summary: 'send a signed request with the stored token, and print the response',
  details: [
    'Prints the response unchanged to standard output; on a terminal, control characters are escaped. A response that is not UTF-8 is not printed: the command fails with HTTP_INVALID_RESPONSE, although the service has executed the request. A request uses the stored token. If none is stored, the sandbox creates one; production needs a second factor for it, and therefore --create.',
  ],
  args: [
    { name: '<method>', help: 'GET, HEAD, POST, PUT, PATCH or DELETE' },
    { name: '<path>', help: 'path that starts with /, percent-encoded, without a query' },
  ],
  options: [
    { flags: '--query <name=value>', help: 'query parameter, decoded', repeats: true },
    {
      flags: '--body <json>',
      help: 'request body, byte for byte as it will be sent; - reads standard input',
    },
    { flags: '--body-file <file>', help: 'file with the body; - reads standard input' },
    { flags: '--header <name: value>', help: 'additional header', repeats: true },
    { flags: '--api-version <version>', help: 'value of x-version; default: v2', choices: ['v2', 'v3'] },
    { flags: '--no-token', help: 'send no access token' },
    { flags: '--create', help: 'create a token if none is stored, and wait for its second factor' },
    { flags: '--include', help: 'also print status and headers of the response' },
    { flags: '--dry-run', help: 'print the request, and send nothing' },
    {
      flags: '--curl',
      help: 'print a curl command with the signature, and send nothing; it reads the token from $BROKERWIRE_ACCESS_TOKEN, and passes the request on standard input, because a process list shows arguments',
    },
    {
      flags: '--timeout <duration>',
      help: 'time limit of each attempt, at most 1d',
      parse: requestTime(),
      defaultValue: '30s',
    },
    ...STORE_OPTIONS,
  ],
  examples: [
    { does: 'ask the service whether tokens are required', line: 'brokerwire request GET /openapi/config' },
    {
      does: 'with a query; print the headers of the response',
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
