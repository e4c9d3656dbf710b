/** Written by pnpm generate errors. Do not edit. */
import type { ErrorRow } from './error-row.ts'

export const ERROR_ROWS: readonly ErrorRow[] = [
  {
    code: 'CLI_OPTION_INVALID',
    package: '@brokerwire/cli',
    meaning:
      'A flag, argument or environment variable is invalid, or a flag of only this command is missing.',
    retryable: 'no',
    remedy: 'Correct the flag, argument or variable that the message names.',
    message: '--region must be "hk" or "us"; received "US". Did you mean "us"?',
  },
  {
    code: 'CLI_VALUE_MISSING',
    package: '@brokerwire/cli',
    meaning: 'Required settings or flags are missing.',
    retryable: 'no',
    remedy:
      'Set what the message lists, by its flag, its variable or its key in a profile. Without keys, try the command on `brokerwire simulate`.',
    message:
      'missing: app key, app secret, region and environment. Set each with a flag, a variable or `brokerwire config set`',
  },
  {
    code: 'CLI_INPUT_UNREADABLE',
    package: '@brokerwire/cli',
    meaning: 'A file cannot be read, or has the wrong content.',
    retryable: 'no',
    remedy: 'Correct the path or the file.',
    message: 'request.json must be JSON in UTF-8; received other text',
  },
  {
    code: 'CLI_SECRET_EXPOSED',
    package: '@brokerwire/cli',
    meaning:
      'Other users can read or change a file with a secret, or can write to the folder of the profiles.',
    retryable: 'no',
    remedy: 'Run `chmod 600` on the file, and `chmod go-w` on its folder.',
    message: 'secret.txt holds a secret and must be accessible to its owner only. Run chmod 600 on it',
  },
  {
    code: 'CLI_CONFIG_INVALID',
    package: '@brokerwire/cli',
    meaning: 'The profile file has an invalid format.',
    retryable: 'no',
    remedy: 'Correct the file, or remove it.',
    message: 'config.json must be JSON. Correct the file, or remove it',
  },
  {
    code: 'CLI_TOKEN_MISSING',
    package: '@brokerwire/cli',
    meaning: 'The command needs a token, and no usable one is stored.',
    retryable: 'no',
    remedy: 'Run `brokerwire token create`.',
    message: 'there is no usable token in the store: run `brokerwire token create --wait`',
  },
  {
    code: 'CLI_UNREACHABLE',
    package: '@brokerwire/cli',
    meaning: 'The service cannot be reached.',
    retryable: 'yes, unless a proxy rejects the connection permanently',
    remedy: 'Run `brokerwire doctor`.',
    message:
      '127.0.0.1:8080: 2 attempts failed: ECONNREFUSED; run `brokerwire doctor` to find the cause; --max-attempts 0 retries without a limit',
  },
  {
    code: 'CLI_TIMED_OUT',
    package: '@brokerwire/cli',
    meaning: 'The command timed out; the service was reachable.',
    retryable: 'yes',
    remedy: 'Use a longer `--timeout`.',
    message: '3 of 5 messages were not received within 10s',
  },
  {
    code: 'CLI_VECTORS_EMPTY',
    package: '@brokerwire/cli',
    meaning: 'A file of vectors contains no record.',
    retryable: 'no',
    remedy: 'Pass a file with at least one vector.',
    message: 'vectors.json must contain arrays of records with "path" or "requestHex"; received none',
  },
  {
    code: 'CLI_DEMO_FAILED',
    package: '@brokerwire/cli',
    meaning: 'The demo got unexpected results.',
    retryable: 'no',
    remedy: 'Report the results that the message lists.',
    message: 'the demo did not observe: a price of AAPL',
  },
  {
    code: 'ENDPOINT_UNKNOWN',
    package: '@brokerwire/core',
    meaning: 'The endpoint table has no such address. `option` is the option that sets the address.',
    retryable: 'no',
    remedy: 'Set the override that `details.option` names.',
    message:
      'the eventsUrl of us production is not taken from the table, because overrides replace another address: set the option overrides.eventsUrl',
  },
  {
    code: 'SECRET_INVALID',
    package: '@brokerwire/core',
    meaning: 'The value of a `Secret` is not a string.',
    retryable: 'no',
    remedy: 'Pass a string. The environment variable that you read may be unset.',
    message: 'the value of a Secret must be a string; received undefined',
  },
  {
    code: 'ENDPOINT_INVALID',
    package: '@brokerwire/core',
    meaning: 'An option of the endpoint table is invalid.',
    retryable: 'no',
    remedy:
      'Correct the region, the environment or the override: `details.expected` lists the accepted values.',
    message: 'unknown option "overrides.baseURL". Did you mean "baseUrl"?',
  },
  {
    code: 'CLOCK_INVALID',
    package: '@brokerwire/core',
    meaning: "An option of the service's clock is invalid.",
    retryable: 'no',
    remedy: 'Correct the option: `details.expected` lists the accepted values.',
    message: 'maxClockOffsetMs must be a whole number from 0 to 9007199254740991; received -1',
  },
  {
    code: 'OPTION_INVALID',
    package: '@brokerwire/core',
    meaning:
      'An option of `createLease`, `createBrokerage` or a function of `@brokerwire/core/proxy` is invalid.',
    retryable: 'no',
    remedy: 'Correct the option: `details.expected` lists the accepted values.',
    message: 'validMs must be more than 0 milliseconds; received 0',
  },
  {
    code: 'CLOCK_IMPLAUSIBLE',
    package: '@brokerwire/core',
    meaning:
      'The clocks of the service and the host differ by more than `maxClockOffsetMs`. Instants are milliseconds since the Unix epoch.',
    retryable: 'no',
    remedy: 'Correct the wrong clock. `details` has both times.',
    message:
      "the service's clock must be within 86400000 ms of this host's 2023-11-14T22:13:20.000Z; received 2099-01-01T00:00:00.000Z. Correct the wrong clock, or raise maxClockOffsetMs",
  },
  {
    code: 'PROXY_REFUSED',
    package: '@brokerwire/core',
    meaning:
      'A proxy responded to CONNECT with another status than 2xx. `proxy` is its address without user and password, `source` is the variable or the option that contains the address, and `target` is `host:port`.',
    retryable: 'if the status is 408, 429 or 5xx',
    remedy:
      'For 407 or 401, put user and password into the setting that `details.source` names. Otherwise ask the operator of the proxy to allow `details.target`.',
    message:
      'the proxy http://127.0.0.1:3128 (HTTPS_PROXY) refused the connection to data.example:1883 with status 403. Ask who runs the proxy to allow this host and port, or connect without it',
  },
  {
    code: 'PROXY_UNREACHABLE',
    package: '@brokerwire/core',
    meaning:
      'The connection to a proxy failed, or the proxy did not respond to CONNECT. `reason` is a code such as `ECONNREFUSED` or `ETIMEDOUT`.',
    retryable: 'yes',
    remedy: 'Check that the setting that `details.source` names has the address of a running proxy.',
    message:
      'no connection to data.example:1883 through the proxy http://127.0.0.1:3128 (the option "proxy"): ECONNREFUSED. Check that the option "proxy" is the address of a proxy that runs',
  },
  {
    code: 'HTTP_OPTION_INVALID',
    package: '@brokerwire/http',
    meaning: 'An option of the client or of a request is wrong.',
    retryable: 'no',
    remedy: 'Correct the option that `details.option` names.',
    message: 'accessToken must not be set for /auth/tokens/create, which takes no token',
  },
  {
    code: 'HTTP_HEADER_FORBIDDEN',
    package: '@brokerwire/http',
    meaning: 'A header that the client sets itself, or that must never be sent.',
    retryable: 'no',
    remedy: 'Do not set this header.',
    message: 'headers().x-signature must not be set: the client sets it',
  },
  {
    code: 'HTTP_UNAUTHORIZED',
    package: '@brokerwire/http',
    meaning: '401: the signature or the token was rejected.',
    retryable: 'if the token was replaced, or the connection ended within the body',
    remedy:
      'See `details.serviceCode`. For `INVALID_SIGNATURE`, run `brokerwire explain` on the request, or use the workbench.',
    message: 'GET /x: status 401, INVALID_TOKEN: token is invalid',
  },
  {
    code: 'HTTP_CLOCK_IMPLAUSIBLE',
    package: '@brokerwire/http',
    meaning:
      '401 with the code ILLEGAL_TIMESTAMP and an implausible `Date`. Instants are milliseconds since the Unix epoch.',
    retryable: 'no',
    remedy: 'Correct the wrong clock: `details.serverNowMs` and `details.hostNowMs` are the two times.',
    message:
      "POST /x: status 401, ILLEGAL_TIMESTAMP: timestamp is illegal; the service's clock must be within 86400000 ms of this host's 2026-05-31T23:00:00.000Z; received 2099-01-01T00:00:00.000Z. Correct the wrong clock, or raise maxClockOffsetMs",
  },
  {
    code: 'HTTP_FORBIDDEN',
    package: '@brokerwire/http',
    meaning: '403: the app key or the account lacks a permission.',
    retryable: 'no',
    remedy: 'Ask the service for the permission that the call needs.',
    message: 'POST /x: status 403',
  },
  {
    code: 'HTTP_BUSINESS_ERROR',
    package: '@brokerwire/http',
    meaning: "417: the service's business rules rejected the request.",
    retryable: 'no',
    remedy: 'See `details.serviceCode` and `details.serviceMessage`.',
    message:
      'POST /market-data/streaming/subscribe: status 417, INVALID_SYMBOL: The symbols does not exist in the category. [BAD]',
  },
  {
    code: 'HTTP_RATE_LIMITED',
    package: '@brokerwire/http',
    meaning: '429: too many requests; nothing happened at the service.',
    retryable: 'yes',
    remedy: 'Wait `details.retryAfterMs` milliseconds, then send the request again.',
    message: 'POST /x: status 429',
  },
  {
    code: 'HTTP_CLIENT_ERROR',
    package: '@brokerwire/http',
    meaning: 'Any other 4xx: the service rejected the request.',
    retryable: 'no',
    remedy: 'Correct the request. See `details.serviceCode`.',
    message: 'POST /x: status 421; the host may have sent it more than once',
  },
  {
    code: 'HTTP_SERVER_ERROR',
    package: '@brokerwire/http',
    meaning: '5xx: whether the request took effect is unknown.',
    retryable: 'yes',
    remedy: 'Check whether the request took effect before you send it again.',
    message: 'GET /orders: status 503',
  },
  {
    code: 'HTTP_REDIRECT',
    package: '@brokerwire/http',
    meaning:
      "3xx: redirects are never followed, because a signature covers host and path. For a 3xx without `Location`, the message states the status and the service's text instead.",
    retryable: 'no',
    remedy: 'If the message states a redirect, correct `baseUrl`. For 304, send no conditional headers.',
    message: 'POST /x: status 307, a redirect, which is never followed',
  },
  {
    code: 'HTTP_NOT_SENT',
    package: '@brokerwire/http',
    meaning:
      'The request was never sent, in no attempt: nothing happened at the service. Not retryable if the host rejects the request itself.',
    retryable: 'yes, unless a proxy rejects the connection permanently, or the host rejects the request',
    remedy: 'Send the request again. With a proxy, see `details.proxy`. For `bad_port`, correct `baseUrl`.',
    message: 'POST /x: no connection to https://h.example (ECONNREFUSED)',
  },
  {
    code: 'HTTP_NO_RESPONSE',
    package: '@brokerwire/http',
    meaning: 'The connection ended before a complete response: whether the request took effect is unknown.',
    retryable: 'yes',
    remedy: 'Check whether the request took effect before you send it again.',
    message:
      'POST /x: the connection to https://h.example ended before the response was complete (ECONNRESET); the host may have sent it more than once',
  },
  {
    code: 'HTTP_TIMEOUT',
    package: '@brokerwire/http',
    meaning: 'The response was not complete in time: whether the request took effect is unknown.',
    retryable: 'yes',
    remedy: 'Check whether the request took effect before you send it again.',
    message: 'POST /x: no complete response from https://h.example within 1000 ms',
  },
  {
    code: 'HTTP_RESPONSE_TOO_LARGE',
    package: '@brokerwire/http',
    meaning: 'The response has more bytes than allowed.',
    retryable: 'no',
    remedy: 'Raise `maxResponseBytes`.',
    message: 'POST /x: the response must have at most 10 bytes (maxResponseBytes)',
  },
  {
    code: 'HTTP_INVALID_RESPONSE',
    package: '@brokerwire/http',
    meaning: 'A successful response whose body cannot be used.',
    retryable: 'no',
    remedy: 'Report it to the service with `details.requestId`.',
    message: 'GET /x: the response must be JSON; received text that is not JSON',
  },
  {
    code: 'OPERATION_INPUT_INVALID',
    package: '@brokerwire/operations',
    meaning: 'The input does not match the fields of the operation. Nothing was sent.',
    retryable: 'no',
    remedy: 'Correct the fields that `details.problems` lists.',
    message:
      'orders.place: newOrders[0].clientOrderId must be 1 to 32 letters, digits, "-" or "_"; received a string of another form',
  },
  {
    code: 'OPERATION_FIELD_GUESSED',
    package: '@brokerwire/operations',
    meaning:
      'The input has a field whose existence is only guessed, without the option `allowGuessed: true`. Nothing was sent.',
    retryable: 'no',
    remedy: 'Remove the field, or set `allowGuessed: true` if you accept that it may not exist.',
    message:
      'watchlists.list: pageSize is a guess, which no source shows. Set "allowGuessed: true" to send it',
  },
  {
    code: 'OPERATION_UNAVAILABLE',
    package: '@brokerwire/operations',
    meaning: 'The path family has no such operation. Nothing was sent.',
    retryable: 'no',
    remedy: 'Use the other path family, or another operation.',
    message: 'orders.list has no path in the path family "openapi"; set pathFamily: "current"',
  },
  {
    code: 'OPERATION_RESPONSE_INVALID',
    package: '@brokerwire/operations',
    meaning:
      'The service answered with a successful status, but its response cannot be decoded. `error.response` is the response.',
    retryable: 'no',
    remedy: 'Read `error.response`. If the service has changed, use your own definition of the operation.',
    message:
      'orders.get: the service answered with 200, and its response cannot be decoded: expected JSON; received an empty body. "error.response" is the response',
  },
  {
    code: 'OPERATION_PAGE_REPEATED',
    package: '@brokerwire/operations',
    meaning: 'The service returned the same cursor again, so more pages would repeat earlier ones.',
    retryable: 'no',
    remedy: 'Use the pages that you have received, and report it to the service.',
    message:
      'orders.history: the service answered with the same cursor again after 2 pages, so more pages would repeat earlier ones',
  },
  {
    code: 'OPERATION_DEFINITION_INVALID',
    package: '@brokerwire/operations',
    meaning:
      'The definition of an operation is wrong. `problems` contains all problems, each with the name of the wrong property.',
    retryable: 'no',
    remedy: 'Correct the properties that `details.problems` lists.',
    message:
      'the definition of the operation "watchlists.list" is wrong: fields.one.range must have a smallest and a largest whole number',
  },
  {
    code: 'JOURNAL_OPTION_INVALID',
    package: '@brokerwire/orders',
    meaning: 'An option, or the input of an order, is wrong. Nothing was sent.',
    retryable: 'no',
    remedy:
      'Correct the option. If `details.option` is `http`, the client does not await `beforeAttempt`, and the order may have been sent.',
    message: 'order.accountId must be that of the journal; received another account',
  },
  {
    code: 'JOURNAL_STORE_FAILED',
    package: '@brokerwire/orders',
    meaning: 'The store failed.',
    retryable: "as in the store's error, else yes",
    remedy:
      'Check the store. If `details.mayBeSent` is true, place the order again with the same identifier, or call `recover()`.',
    message:
      'reading from the store failed: the store did not respond within 10 s. The order may have been sent',
  },
  {
    code: 'JOURNAL_RECORD_INVALID',
    package: '@brokerwire/orders',
    meaning:
      'A stored record cannot be read, and is kept; or another program deleted it while its order was sent. `newer-format`: update this package.',
    retryable: 'no',
    remedy:
      'For `newer-format`, update this package. If `details.mayBeSent` is true, read the order from the service before you place another one.',
    message: 'the stored entry of an order was written by a newer version. Update @brokerwire/orders',
  },
  {
    code: 'JOURNAL_ENTRY_TOO_LARGE',
    package: '@brokerwire/orders',
    meaning: 'The entry of the order would be longer than `maxEntryBytes`. Nothing was sent.',
    retryable: 'no',
    remedy: 'Raise `maxEntryBytes`, or send a smaller order.',
    message: 'the entry of the order must have at most 16384 bytes (maxEntryBytes); it would have 16721',
  },
  {
    code: 'JOURNAL_FULL',
    package: '@brokerwire/orders',
    meaning:
      'The journal has `maxEntries` entries, and each of them is open or was closed less than `minRetentionMs` ago. Nothing was sent.',
    retryable: 'no',
    remedy: 'Call `recover()`, or raise `maxEntries`.',
    message:
      'the journal has 2 entries (maxEntries), and each of them is open or was closed less than 1 h ago (minRetentionMs). Call recover(), or raise maxEntries',
  },
  {
    code: 'JOURNAL_ID_USED',
    package: '@brokerwire/orders',
    meaning:
      'The journal already has another request with this id. `state` is the state of its entry. This call sent nothing. `mayBeSent` is `false` only if the service rejected the other order.',
    retryable: 'no',
    remedy: 'Read that order with `get()`. Use a new identifier only for another order.',
    message:
      'the journal has another request with the id o1, which is "accepted". That order may exist; read it with get(). Use a new id only for another order',
  },
  {
    code: 'JOURNAL_LEASE_LOST',
    package: '@brokerwire/orders',
    meaning: 'Another process took over the entry before the order was sent. This call sent nothing.',
    retryable: 'yes',
    remedy: 'Place the order again with the same identifier.',
    message:
      'another process took over the entry of the order, or may have. This call sent nothing; place the order again with the same id',
  },
  {
    code: 'JOURNAL_CLOCK_JUMPED',
    package: '@brokerwire/orders',
    meaning:
      'Between preparing and sending, the clock was set, the host was suspended, or the client waited longer than two minutes for a token or a rate limit. This call sent nothing.',
    retryable: 'yes',
    remedy: 'Place the order again with the same identifier.',
    message:
      'the clock went from 1767225600000 to 1767225720001 between preparing and sending the order: it was set, the host was suspended, or the client waited too long for a token or a rate limit. This call sent nothing; place the order again with the same id',
  },
  {
    code: 'JOURNAL_CLOSED',
    package: '@brokerwire/orders',
    meaning: 'The journal was closed. An order that was sent before `close()` keeps its open entry.',
    retryable: 'no',
    remedy: 'Create a new journal. See the entry of the order if the call began before `close()`.',
    message: 'the journal is closed',
  },
  {
    code: 'PAYLOAD_CONTENT_TYPE',
    package: '@brokerwire/payloads',
    meaning: 'The content type is not JSON, so the payload was not parsed.',
    retryable: 'no',
    remedy: 'Keep `raw`.',
    message: 'payload: expected a JSON content type',
  },
  {
    code: 'PAYLOAD_TOO_LARGE',
    package: '@brokerwire/payloads',
    meaning: 'The payload is longer than the limit, or nested more deeply than the limit of levels.',
    retryable: 'no',
    remedy: 'Raise `maxLength` if you expect longer payloads.',
    message: 'payload: expected at most 21 characters',
  },
  {
    code: 'PAYLOAD_UNDECODABLE',
    package: '@brokerwire/payloads',
    meaning: 'The message that contains the payload cannot be decoded.',
    retryable: 'no',
    remedy: 'Keep the `bytes` of the item. See `details.reason`.',
    message: 'the message with the payload cannot be decoded: a string is not UTF-8',
  },
  {
    code: 'PAYLOAD_NOT_JSON',
    package: '@brokerwire/payloads',
    meaning: 'The text is not JSON.',
    retryable: 'no',
    remedy: 'Keep `raw`.',
    message: 'payload: expected JSON text, received undefined',
  },
  {
    code: 'PAYLOAD_INVALID',
    package: '@brokerwire/payloads',
    meaning: 'The JSON does not match its definition.',
    retryable: 'no',
    remedy:
      'Keep `raw`. `details.problems` has up to 100 problems. If the service has changed, register your own schema.',
    message:
      'account_id: missing, expected a value; request_id: missing, expected a value; client_order_id: missing, expected a value; and 10 more',
  },
  {
    code: 'PAYLOAD_SCHEMA_FAILED',
    package: '@brokerwire/payloads',
    meaning: 'A custom schema threw, or returned a promise or an invalid result.',
    retryable: 'no',
    remedy: 'Correct the schema of the module that `details.module` names.',
    message: 'modules.X must be a schema that does not throw',
  },
  {
    code: 'PAYLOAD_NOT_CONVERTIBLE',
    package: '@brokerwire/payloads',
    meaning: 'A conversion would lose digits, or the runtime has no `Temporal`.',
    retryable: 'no',
    remedy: 'Choose a larger scale, take the `text` of the `NumberText`, or pass a `Temporal`.',
    message: 'value must be a number that a JavaScript number holds. Use its text',
  },
  {
    code: 'PAYLOAD_OPTION_INVALID',
    package: '@brokerwire/payloads',
    meaning: 'An option or a definition is invalid.',
    retryable: 'no',
    remedy: 'Correct the option that `details.option` names.',
    message: 'modules.X must be a Standard Schema; received an object',
  },
  {
    code: 'QUOTES_OPTION_INVALID',
    package: '@brokerwire/quotes',
    meaning: 'An option is invalid. The details never contain its value.',
    retryable: 'no',
    remedy: 'Correct the option that `details.option` names.',
    message: 'tls.ca must not be set here: it needs TCP on Node, Deno or Bun',
  },
  {
    code: 'QUOTES_TOO_MANY_SYMBOLS',
    package: '@brokerwire/quotes',
    meaning: 'There are more symbols than all connections together can take.',
    retryable: 'no',
    remedy: 'Subscribe to fewer symbols, or raise `maxConnections` if your app key allows more.',
    message:
      'selection must have at most 200 symbols (2 connections of 100); received 201. Remove symbols, or raise maxConnections if your app key allows more',
  },
  {
    code: 'QUOTES_AUTH_REJECTED',
    package: '@brokerwire/quotes',
    meaning:
      'The service rejected the credentials: in CONNACK, in the subscribe call, or in the request for its token.',
    retryable: 'no',
    remedy:
      'Check the app key, the app secret and the access token, and that both addresses belong to one environment. `details.signal` is the source of the rejection.',
    message:
      'the service refused the connection (app-key-invalid): check the app key, and whether mqttUrl belongs to its environment',
  },
  {
    code: 'QUOTES_REFUSED',
    package: '@brokerwire/quotes',
    meaning: 'CONNACK refused the connection, and a retry does not help.',
    retryable: 'no',
    remedy: 'Report it: this is a bug of the package.',
    message: 'the service refused the connection (CONNACK 1, protocol-version); a retry does not help',
  },
  {
    code: 'QUOTES_GAVE_UP',
    package: '@brokerwire/quotes',
    meaning: '`supervision.maxAttempts` was reached.',
    retryable: 'yes',
    remedy: 'Call `createQuotes()` again, or raise `supervision.maxAttempts`.',
    message: 'gave up after 5 attempts (supervision.maxAttempts); last reason: connect-timeout',
  },
  {
    code: 'QUOTES_CALL_FAILED',
    package: '@brokerwire/quotes',
    meaning: 'The subscribe call cannot be sent, or its path does not exist.',
    retryable: 'no',
    remedy: 'Check `paths` and the host of `http`. See the `cause`.',
    message:
      'the subscribe call failed with status 404: set the option "paths", and check the host of "http"',
  },
  {
    code: 'QUOTES_LOGIN_FAILED',
    package: '@brokerwire/quotes',
    meaning: 'The hook `login` failed. Its error is the `cause`.',
    retryable: 'no',
    remedy: 'Correct your hook: its error is the `cause`.',
    message:
      'the hook login failed: login: password must be a non-empty string of at most 65,535 bytes without NUL; received undefined',
  },
  {
    code: 'QUOTES_IN_USE',
    package: '@brokerwire/quotes',
    meaning: 'A second `for await` or `batches()` over the same quotes, or `next()` after `batches()`.',
    retryable: 'no',
    remedy: 'Call `createQuotes()` for each consumer.',
    message: 'quotes must have one consumer. Call createQuotes() for each consumer',
  },
  {
    code: 'QUOTES_CLOSED',
    package: '@brokerwire/quotes',
    meaning: 'The quotes have ended, or their group was closed before they started.',
    retryable: 'no',
    remedy: 'Call `createQuotes()` again.',
    message: 'quotes must be open. Call createQuotes() again',
  },
  {
    code: 'QUOTES_PAYLOAD_INVALID',
    package: '@brokerwire/quotes',
    meaning: 'A payload is not a message of its topic. Never thrown: `decode()` returns it.',
    retryable: 'no',
    remedy: 'Keep the bytes of the item.',
    message: 'payload must be a message of kind quote; received 2 bytes. See "raw"',
  },
  {
    code: 'RELAY_OPTION_INVALID',
    package: '@brokerwire/relay',
    meaning: 'An option has a wrong value, which is never shown.',
    retryable: 'no',
    remedy: 'Correct the option that `details.option` names.',
    message: 'text must be the text of a configuration; received undefined',
  },
  {
    code: 'RELAY_CONFIG_INVALID',
    package: '@brokerwire/relay',
    meaning: 'The configuration is wrong at this line and column.',
    retryable: 'no',
    remedy: 'Correct the field that the message names.',
    message:
      'relay.json:11:17: apps[0].appKey must be an object with env (the name of an environment variable) or file (a path), never the secret itself; received another object',
  },
  {
    code: 'RELAY_MESSAGE_INVALID',
    package: '@brokerwire/relay',
    meaning: 'A message in the stream was not written by a relay, or is damaged.',
    retryable: 'no',
    remedy: 'Keep other writers off the subjects of the stream.',
    message:
      'header Brokerwire-Stream must be written by a relay; received an unknown value. Keep other writers off the subjects of the stream.',
  },
  {
    code: 'RELAY_SCHEMA_UNSUPPORTED',
    package: '@brokerwire/relay',
    meaning: 'A message has the schema version of a newer or an older relay.',
    retryable: 'no',
    remedy: 'Update this package in the reader. For old messages, use the version that wrote them.',
    message: 'schema version must be 2; received 3 of a newer relay. Update @brokerwire/relay here.',
  },
  {
    code: 'RELAY_FENCED',
    package: '@brokerwire/relay',
    meaning: 'Another writer has taken over the stream.',
    retryable: 'yes',
    remedy: 'Read the tail again if this writer should continue.',
    message:
      'stream brokerwire_sandbox_us_team-a must have one writer; another writer has taken it over. Read the tail before publishing again.',
  },
  {
    code: 'RELAY_STREAM_MISMATCH',
    package: '@brokerwire/relay',
    meaning: 'The messages in the stream were not written by this cluster.',
    retryable: 'no',
    remedy: 'Give each cluster its own prefix.',
    message:
      'stream brokerwire_sandbox_us_team-a must be written by this cluster only; found messages of no relay. Give this cluster its own prefix.',
  },
  {
    code: 'RELAY_STREAM_TRUNCATED',
    package: '@brokerwire/relay',
    meaning: 'The stream ends before an acknowledged message, or was deleted and created again.',
    retryable: 'yes',
    remedy:
      'Nothing: the relay takes over the stream, with a gap. Find out who created it again or restored old data.',
    message:
      'stream brokerwire_sandbox_us_team-a must end at sequence 3 or later; received 0. It was deleted, recreated or restored from a backup; read the tail again.',
  },
  {
    code: 'RELAY_SINK_UNAVAILABLE',
    package: '@brokerwire/relay',
    meaning: 'The sink cannot be reached, or temporarily cannot write.',
    retryable: 'yes',
    remedy: 'Check the server. The relay tries again.',
    message: 'brokerwire_sandbox_us_team-a is unavailable: its tail must be read before publishing',
  },
  {
    code: 'RELAY_SINK_MISCONFIGURED',
    package: '@brokerwire/relay',
    meaning: 'The stream is missing, or has wrong settings.',
    retryable: 'no',
    remedy:
      'Run `details.command`. If the stream is missing, replace `FILE` with your configuration. A running relay keeps its events and tries again each minute.',
    message:
      'stream brokerwire_sandbox_us_team-a must accept new messages; received "maximum bytes exceeded". Raise the limit, or delete the oldest messages with --discard=old: nats stream edit brokerwire_sandbox_us_team-a --max-bytes=8000 --force',
  },
  {
    code: 'RELAY_EVENT_OVERSIZED',
    package: '@brokerwire/relay',
    meaning:
      'A published message is longer than the server accepts. A relay publishes an `oversized` message instead.',
    retryable: 'no',
    remedy: 'Put `details.configuration` into the configuration of each server.',
    message:
      'a message must have at most 1048576 bytes (max_payload of the server); received 1051538. Put "max_payload: 2097152" into the configuration of each NATS server, and restart them one after the other.',
  },
  {
    code: 'RELAY_TOKEN_MISSING',
    package: '@brokerwire/relay',
    meaning: 'The app has no usable access token.',
    retryable: 'yes',
    remedy: "Run `details.command`, or confirm the token in the service's app.",
    message:
      'app team-a must have a usable access token; received none (missing). Run "brokerwire token create --wait" with the store of the relay.',
  },
  {
    code: 'RELAY_STATE_INVALID',
    package: '@brokerwire/relay',
    meaning: 'A value in the store was not written by a relay.',
    retryable: 'no',
    remedy: 'Remove the value, or give the cluster another name.',
    message:
      'store key relay/cluster/members must have a value that a relay wrote; received not a JSON object. Remove it, or give the cluster another name.',
  },
  {
    code: 'RELAY_NAME_TAKEN',
    package: '@brokerwire/relay',
    meaning: 'Another relay with this name is running in the cluster.',
    retryable: 'no',
    remedy: 'Give each relay its own name. This one has ended.',
    message:
      'relay name must be unique in its cluster; another relay named a is running. Give each relay its own name.',
  },
  {
    code: 'RELAY_MEMBERSHIP_LOST',
    package: '@brokerwire/relay',
    meaning: 'The membership in the cluster was lost: the relay did not renew it in time.',
    retryable: 'yes',
    remedy: 'Check the store. The relay keeps the received events, and joins again.',
    message: 'relay a must renew its membership in time; it was not extended. It joins again.',
  },
  {
    code: 'RELAY_CLOSED',
    package: '@brokerwire/relay',
    meaning: 'The writer of this stream was closed, or its reader has ended.',
    retryable: 'no',
    remedy: 'Open another one.',
    message: 'reader of brokerwire_sandbox_us_team-a must be open; it has ended. Call consumeRelay() again.',
  },
  {
    code: 'RELAY_READER_IN_USE',
    package: '@brokerwire/relay',
    meaning: 'A reader was used by a second `for await` or `batches()`, or by `next()` after `batches()`.',
    retryable: 'no',
    remedy: 'Call `consumeRelay()` for each reader.',
    message:
      'a reader of brokerwire_sandbox_us_team-a must be used by one loop; received another. Call consumeRelay() for each loop.',
  },
  {
    code: 'SIGNER_OPTION_INVALID',
    package: '@brokerwire/signer',
    meaning:
      'An option is invalid, or a function among the options (`now`, `nonce`, `secretFor`) returned an invalid value.',
    retryable: 'no',
    remedy: 'Correct the option that `details.field` names.',
    message: 'nameOrder must be "code-point" or "utf-16"; received "zz"',
  },
  {
    code: 'SIGNER_INPUT_INVALID',
    package: '@brokerwire/signer',
    meaning: 'The input to sign, verify or compare is invalid.',
    retryable: 'no',
    remedy:
      'Pass a string or a `Uint8Array` as the body, and query values without a lone surrogate. `details.field` names the wrong one.',
    message:
      'query must be a record, pairs or a URLSearchParams of strings without lone surrogates; received a number as a value',
  },
  {
    code: 'SIGNER_TARGET_INVALID',
    package: '@brokerwire/signer',
    meaning: 'A URL, or a host and path, cannot be signed as given.',
    retryable: 'no',
    remedy: 'Pass an absolute, percent-encoded URL without a user name.',
    message: 'url must be an absolute http: or https: URL, percent-encoded, without a user name',
  },
  {
    code: 'SIGNER_HEADER_FORBIDDEN',
    package: '@brokerwire/signer',
    meaning: 'A request has a header that must never be sent.',
    retryable: 'no',
    remedy: 'Remove the header `x-app-secret`.',
    message: 'x-app-secret must not be sent: remove the header',
  },
  {
    code: 'SIGNER_BODY_USED',
    package: '@brokerwire/signer',
    meaning: 'The body of a request was read before, or another reader has locked it.',
    retryable: 'no',
    remedy: 'Pass a clone of the request.',
    message: 'body must be unread: sign a clone of the request',
  },
  {
    code: 'SIGNER_BODY_TOO_LARGE',
    package: '@brokerwire/signer',
    meaning: 'The body of a request is longer than `maxBodyBytes`.',
    retryable: 'no',
    remedy: 'Raise `maxBodyBytes`, or sign bytes with `sign`.',
    message: 'body must be at most 3 bytes',
  },
  {
    code: 'SIGNER_REDIRECTED',
    package: '@brokerwire/signer',
    meaning:
      'The service responded to a request of `createSignedFetch` with a redirect, which was not followed.',
    retryable: 'no',
    remedy: 'Request the URL that the service redirects to, if you trust it.',
    message: 'the response must be no redirect; received status 302. Check the URL of the request',
  },
  {
    code: 'SIGNER_METHOD_UNSUPPORTED',
    package: '@brokerwire/signer',
    meaning:
      'A gRPC request that cannot be signed: its method streams requests, or it is not in the binary format.',
    retryable: 'no',
    remedy: 'Sign unary and server-streaming methods only, in the binary format.',
    message:
      'the method must be unary or server streaming, because a signature covers one message; received /a.B/C',
  },
  {
    code: 'SIGNER_MESSAGE_CHANGED',
    package: '@brokerwire/signer',
    meaning: 'The caller changed the message of a gRPC request while it was signed.',
    retryable: 'no',
    remedy: 'Pass a copy of the message.',
    message: 'the message must not change while it is signed: pass a copy',
  },
  {
    code: 'SIGNER_CRYPTO_UNAVAILABLE',
    package: '@brokerwire/signer',
    meaning: 'The runtime has no WebCrypto, as on a page without HTTPS.',
    retryable: 'no',
    remedy: 'Use HTTPS, or pass the option `crypto`.',
    message:
      'crypto.subtle must be available: on a page use HTTPS, elsewhere pass hash functions as the option "crypto"',
  },
  {
    code: 'SIMULATOR_OPTION_INVALID',
    package: '@brokerwire/simulator',
    meaning: 'An option of `startSimulator` is invalid.',
    retryable: 'no',
    remedy: 'Correct the option that `details.option` names.',
    message: 'listen must be a loopback address, unless tls or allowInsecure: true is set',
  },
  {
    code: 'SIMULATOR_ARGUMENT_INVALID',
    package: '@brokerwire/simulator',
    meaning: "An argument of one of the simulator's methods is invalid.",
    retryable: 'no',
    remedy: 'Correct the argument that `details.argument` names.',
    message: 'steps[0].advanceMs must be a whole number from 1 to 31622400000; received undefined',
  },
  {
    code: 'SIMULATOR_LISTEN_FAILED',
    package: '@brokerwire/simulator',
    meaning: "A listener could not be opened. `reason` is the host's error code, for example `EADDRINUSE`.",
    retryable: 'if the reason is `EADDRINUSE`',
    remedy: 'Use another port, or 0.',
    message: 'httpPort: cannot listen on 127.0.0.1, port 8080: EADDRINUSE',
  },
  {
    code: 'SIMULATOR_CLOSED',
    package: '@brokerwire/simulator',
    meaning: 'A method was called after `close()`.',
    retryable: 'no',
    remedy: 'Start another simulator.',
    message: 'waitForSubscriptions() ended because the simulator was closed',
  },
  {
    code: 'SIMULATOR_SCENARIO_INVALID',
    package: '@brokerwire/simulator',
    meaning:
      'A scenario file is invalid. `field` is a path such as `steps[2].scene`, and `line` is counted from 1.',
    retryable: 'no',
    remedy: 'Correct the line that the message names.',
    message: 'my.json:3:29: unknown option "steps[1].afterMS". Did you mean "afterMs"?',
  },
  {
    code: 'SIMULATOR_RECORDING_INVALID',
    package: '@brokerwire/simulator',
    meaning:
      'A recording is invalid. `field` is a path such as `frame.eventType`, and `line` is counted from 1.',
    retryable: 'no',
    remedy: 'Correct the line that the message names, or record again.',
    message: 'morning.jsonl, line 2: must be a JSON object; received an empty array',
  },
  {
    code: 'SIMULATOR_CONSOLE_FAILED',
    package: '@brokerwire/simulator',
    meaning: "The console's page cannot be served.",
    retryable: 'no',
    remedy: 'Install the package again. In a checkout, run `pnpm install`.',
    message: 'console: the page is missing',
  },
  {
    code: 'SIMULATOR_CONTROL_FAILED',
    package: '@brokerwire/simulator',
    meaning: 'A simulator in another process rejected a call, or it cannot be reached (`status` 0).',
    retryable: 'if there was no response',
    remedy: 'Read the message, or start the simulator.',
    message: 'approve: no response from a simulator at http://127.0.0.1:8080 (ECONNREFUSED)',
  },
  {
    code: 'SIMULATOR_STATE_FAILED',
    package: '@brokerwire/simulator',
    meaning: "A state file cannot be opened or written. `reason` is the host's error code, or a sentence.",
    retryable: 'no',
    remedy: 'Use another path, set mode 600, or end the process that uses the file.',
    message: 'stateFile: state.jsonl: must have mode 600, because it contains secrets; received 644',
  },
  {
    code: 'SIMULATOR_STATE_INVALID',
    package: '@brokerwire/simulator',
    meaning: 'A line of a state file is invalid, or does not fit the options of this simulator.',
    retryable: 'no',
    remedy: 'Use the seed of the file, or another file.',
    message: 'stateFile: state.jsonl, line 3: must be a JSON object',
  },
  {
    code: 'SIMULATOR_WAIT_TIMEOUT',
    package: '@brokerwire/simulator',
    meaning: 'A condition that a test waited for was not met in time.',
    retryable: 'no',
    remedy: 'Read the current state in the message.',
    message:
      'waitForSubscriptions({"service":"module"}) had no result within 1 ms; 0 of 0 open subscriptions match',
  },
  {
    code: 'SIMULATOR_CLOCK_FIXED',
    package: '@brokerwire/simulator',
    meaning: "The simulator's clock cannot be advanced.",
    retryable: 'no',
    remedy: 'Omit the option `clock`, or pass `createVirtualClock()`.',
    message: 'advance: the clock of this simulator cannot be moved',
  },
  {
    code: 'SIMULATOR_ORDER_FINAL',
    package: '@brokerwire/simulator',
    meaning: "The order's state does not allow the step.",
    retryable: 'no',
    remedy: 'Place another order.',
    message: 'an order in status FILLED with 0 units open cannot take CANCEL_SUCCESS',
  },
  {
    code: 'STORE_OPTION_INVALID',
    package: '@brokerwire/stores',
    meaning: 'An option, a key or a value is wrong.',
    retryable: 'no',
    remedy: 'Correct the option that `details.option` names.',
    message: 'key must be a non-empty string; received an empty string',
  },
  {
    code: 'STORE_INSECURE_PERMISSIONS',
    package: '@brokerwire/stores',
    meaning: 'Other users can read the file or directory, or could have written it.',
    retryable: 'no',
    remedy: 'Change the mode or the owner of `details.path`: `details.reason` states what is wrong.',
    message: '/var/lib/app/store/7e9a.lock: expected no access for group and others; received mode 644',
  },
  {
    code: 'STORE_CORRUPT',
    package: '@brokerwire/stores',
    meaning:
      'The stored data is not what was written. `path` names the file, the entry, the table or the response.',
    retryable: 'no',
    remedy: 'Restore or remove the data that `details.path` names.',
    message:
      '/var/lib/app/store/7e9a.json: format version must be 1 or 2; received 3 of a newer @brokerwire/stores. Update it here',
  },
  {
    code: 'STORE_LOCK_LOST',
    package: '@brokerwire/stores',
    meaning:
      "Another process has acquired the lock, or the lock could not be extended in time. It is the reason of a lock's `lost` signal.",
    retryable: 'yes',
    remedy: 'Stop the work that the lock guards, and acquire the lock again.',
    message: 'the lock is lost: it was not extended',
  },
  {
    code: 'STORE_IO',
    package: '@brokerwire/stores',
    meaning: 'The host rejected an operation on storage.',
    retryable:
      'in a Durable Object; on a server never; for files if the reason is `ENOSPC`, `EDQUOT`, `EMFILE`, `ENFILE`, `EAGAIN` or `EBUSY`',
    remedy: 'See `details.reason`.',
    message: 'compareAndSet: the server rejected it: PermissionViolationError',
  },
  {
    code: 'STORE_UNAVAILABLE',
    package: '@brokerwire/stores',
    meaning:
      'The server was not reached, did not respond in time, or cannot write now. The operation may have taken effect.',
    retryable: 'yes',
    remedy: 'Read the value again, then continue from what is stored.',
    message: 'compareAndSet: the server is not available: no response within 800 ms',
  },
  {
    code: 'STORE_MISCONFIGURED',
    package: '@brokerwire/stores',
    meaning: 'The server, bucket or table could lose data or is not set up.',
    retryable: 'no',
    remedy: 'Change the setting that `details.setting` names to `details.expected`.',
    message:
      'storage must be file; received memory. Change the bucket, or set requireDurable: false if this store may forget what it acknowledged',
  },
  {
    code: 'STORE_CIPHER_FAILED',
    package: '@brokerwire/stores',
    meaning: 'A text could not be encrypted or decrypted.',
    retryable: "as in the cipher's error, else no",
    remedy:
      'Check the keys: `details.reason` and `details.keyId` name the problem. For `newer format`, update this package.',
    message:
      'the cipher could not decrypt the stored text with the key "key 1" (OperationError). Give the cipher that key, or delete the text',
  },
  {
    code: 'STREAM_OPTION_INVALID',
    package: '@brokerwire/streams',
    meaning:
      'An option is invalid. `received` describes the value without showing it, except for values that cannot be secret.',
    retryable: 'no',
    remedy: 'Correct the option that `details.option` names.',
    message: 'unknown option "eventsUrll". Did you mean "eventsUrl"?',
  },
  {
    code: 'STREAM_AUTH_REJECTED',
    package: '@brokerwire/streams',
    meaning: 'The service rejected the credentials, and rejected them again at the retry.',
    retryable: 'no',
    remedy:
      'Check the app key, the app secret, the accounts, the clock and `streamAlgorithm`, and whether the host requires an access token. See the `cause`.',
    message:
      "the service rejected the credentials again: check the app key and the app secret, whether the app key may subscribe to these accounts, the clock, the signer's streamAlgorithm, and whether the access token is usable",
  },
  {
    code: 'STREAM_REFUSED',
    package: '@brokerwire/streams',
    meaning: 'The service refused the subscription with a gRPC status that a retry would not change.',
    retryable: 'no',
    remedy: 'See `details.status` and `details.serverMessage`.',
    message: 'the service refused the subscription: permission_denied, "not allowed"',
  },
  {
    code: 'STREAM_CURSOR_REJECTED',
    package: '@brokerwire/streams',
    meaning: 'The service rejected the cursor of the request.',
    retryable: 'no',
    remedy:
      "Start once with `from: 'now'`, or set `onCursorRejected: 'from-now'`. Both report the gap and remove the stored cursor.",
    message:
      "the service rejected the cursor: out_of_range. Start with from: 'now', or set onCursorRejected: 'from-now'",
  },
  {
    code: 'STREAM_SUBSCRIPTION_CONFLICT',
    package: '@brokerwire/streams',
    meaning:
      'The service grants the app key one subscription for orders and positions, and the stream `heldBy` of this process has it.',
    retryable: 'no',
    remedy: 'Use one `accountEvents` for orders and positions, or close the other stream.',
    message:
      'the service grants this app key one subscription for orders and positions, and the trade stream of this process has it: use one accountEvents() for both, or close the other stream',
  },
  {
    code: 'STREAM_CURSOR_CONFLICT',
    package: '@brokerwire/streams',
    meaning: 'Another consumer committed the same cursor.',
    retryable: 'no',
    remedy: 'Give each stream its own `consumer` name.',
    message:
      'another consumer commits the cursor of APPLICATION: give each consumer its own name (option "consumer")',
  },
  {
    code: 'STREAM_CURSOR_INVALID',
    package: '@brokerwire/streams',
    meaning: 'The stored value is not a valid cursor.',
    retryable: 'no',
    remedy:
      "Repair the store, or start once with `from: 'now'`. A record of a later version needs an update of this package.",
    message:
      'the stored cursor of APPLICATION must be a record of version 1 or 2; it has another version. Delete it to start without a cursor',
  },
  {
    code: 'STREAM_STORE_FAILED',
    package: '@brokerwire/streams',
    meaning: 'The store failed at the first read or write of a cursor, or at the last write.',
    retryable: 'yes',
    remedy:
      'Open the stream again. If a write failed, you receive the module events since the last commit again, and the next `gap` is wider.',
    message: 'writing a cursor to the store failed: no response within 5 s',
  },
  {
    code: 'STREAM_GAVE_UP',
    package: '@brokerwire/streams',
    meaning: 'A limit of the caller was reached: the number of attempts, or the elapsed time.',
    retryable: 'yes',
    remedy: 'Open a new stream.',
    message: 'the limit of the number of attempts was reached after attempt 1; last reason: status',
  },
  {
    code: 'STREAM_BUDGET_EXCEEDED',
    package: '@brokerwire/streams',
    meaning: 'The budget has no subscription left for this app key.',
    retryable: 'yes',
    remedy: 'Close a stream of this app key.',
    message:
      '5 streams of this app key are open in this process, the limit of its budget: close one, or set the option "budget"',
  },
  {
    code: 'STREAM_IN_USE',
    package: '@brokerwire/streams',
    meaning:
      'The stream has a reader already: a second `for await` or `batches()`, or `next()` after `batches()`.',
    retryable: 'no',
    remedy: 'Create one stream for each reader.',
    message: 'the stream has a reader already: create one stream for each reader',
  },
  {
    code: 'STREAM_CLOSED',
    package: '@brokerwire/streams',
    meaning: 'The stream has ended, or was closed before it started.',
    retryable: 'no',
    remedy: 'Create a new stream. If the streams were closed, create new streams.',
    message: 'the stream has ended: create a new one',
  },
  {
    code: 'STREAM_OPEN_FAILED',
    package: '@brokerwire/streams',
    meaning:
      'The signer, the option `timestamp`, `headers` or `accessTokens` failed in a way that a retry would not change.',
    retryable: 'no',
    remedy: 'Correct your hook or the signer: `details.step` names the step.',
    message: 'opening the stream failed while signing the request: no key',
  },
  {
    code: 'TOKEN_OPTION_INVALID',
    package: '@brokerwire/tokens',
    meaning: 'An option or argument is wrong.',
    retryable: 'no',
    remedy: 'Correct the option that `details.option` names.',
    message: 'renew must be "refresh" or "create"; received "both"',
  },
  {
    code: 'TOKEN_RESPONSE_INVALID',
    package: '@brokerwire/tokens',
    meaning: 'The response does not have the form that the specification describes.',
    retryable: 'no',
    remedy: 'Report it, then call again. After a create in production, call `renew()` five minutes later.',
    message: "status of the service's response must be PENDING or NORMAL; received INVALID",
  },
  {
    code: 'TOKEN_CALL_FAILED',
    package: '@brokerwire/tokens',
    meaning: 'A call to the token endpoints failed.',
    retryable: 'yes, unless the service rejected the call or the response cannot be read',
    remedy: 'See `details.kind`, `details.status` and `details.code`.',
    message:
      "creating an access token failed: the service rejected it, status 401 (Error). Check the app key, the app secret, the region, the environment and this host's clock",
  },
  {
    code: 'TOKEN_PENDING',
    package: '@brokerwire/tokens',
    meaning:
      'The token waits for its second factor. `deadlineMs`: end of the verification window, milliseconds since the epoch.',
    retryable: 'yes',
    remedy: 'Ask the person to confirm the token in the app of the service, then call again.',
    message:
      "the token waits for its second factor until 2026-01-01T00:05:00.000Z. Enter the code in the broker's app, then call get() again",
  },
  {
    code: 'TOKEN_VERIFICATION_EXPIRED',
    package: '@brokerwire/tokens',
    meaning: 'The verification window ended without a second factor: the service returned EXPIRED.',
    retryable: 'no',
    remedy: 'Call `renew()` when a person is available.',
    message: 'the second factor was not entered within five minutes. Call renew() for a new token',
  },
  {
    code: 'TOKEN_POLL_TIMEOUT',
    package: '@brokerwire/tokens',
    meaning:
      '`pollTimeoutMs` passed and the token is still pending. The token is kept; the next call continues to poll.',
    retryable: 'yes',
    remedy: 'Call again: the token is kept.',
    message:
      'no code was entered within 5 min (pollTimeoutMs); the token is still PENDING. Call get() to continue waiting',
  },
  {
    code: 'TOKEN_SECOND_FACTOR_REQUIRED',
    package: '@brokerwire/tokens',
    meaning:
      'No token is usable, or the new token of a renewal ended and the old one stays in use. A new token needs a second factor: call `renew()` when a person is available. `lastStatus`: status of the token that ended.',
    retryable: 'no',
    remedy: 'Call `renew()` when a person is available.',
    message:
      'the last token is EXPIRED, and a new one needs a second factor. Call renew() when a person can enter a code',
  },
  {
    code: 'TOKEN_CREATE_TOO_SOON',
    package: '@brokerwire/tokens',
    meaning:
      'A new create request is not allowed yet. Either the last one is less than five minutes old (`answered`, or `unknown` if its outcome is unknown), or several creates of this process failed in a row (`failed`). `retryAfterMs` is the wait in milliseconds.',
    retryable: 'yes, after `details.retryAfterMs`',
    remedy: 'Wait, then call again.',
    message:
      'a create request was sent 1 min ago and its outcome is unknown; the next one is allowed in 4 min',
  },
  {
    code: 'TOKEN_RATE_LIMITED',
    package: '@brokerwire/tokens',
    meaning:
      'The call would have to wait longer than `maxWaitMs`, or was stopped while it waited in the rate limiter. If `get()` or `renew()` made the call, this error is the `cause` of their `TOKEN_CALL_FAILED`. `retryAfterMs`: the shortest possible wait, in milliseconds.',
    retryable: 'yes, after `details.retryAfterMs`',
    remedy: 'Wait, then call again.',
    message: 'the client-create call was stopped while it waited in the rate limiter, for 45 s or more',
  },
  {
    code: 'OPERATION_RATE_LIMITED',
    package: '@brokerwire/tokens',
    meaning:
      'A request of an operation would have to wait longer than `maxWaitMs`. `retryAfterMs`: the shortest possible wait, in milliseconds.',
    retryable: 'yes, after `details.retryAfterMs`',
    remedy: 'Wait, then call again.',
    message:
      'the rate limiter (2 requests in 2 s for each app key) lets this orders.get request pass in 2 s, which is longer than maxWaitMs (1 s)',
  },
  {
    code: 'TOKEN_STORE_FAILED',
    package: '@brokerwire/tokens',
    meaning: 'The store failed, or too many processes changed the record at the same time.',
    retryable: "as in the store's error, else yes",
    remedy: 'Check the store: `details.operation`, `details.errorName` and `details.errorCode`.',
    message:
      "writing to the store failed: Error ENOSPC. The store's own message is not shown because it may contain a token",
  },
  {
    code: 'TOKEN_RECORD_INVALID',
    package: '@brokerwire/tokens',
    meaning: 'The stored record cannot be read.',
    retryable: 'no',
    remedy:
      'By `details.reason`: call `renew()`, or delete the record of a pair; update this package; open the store with its cipher.',
    message:
      'the stored record is damaged (accessToken). For an access token call renew(), which replaces it; delete the record of a client token',
  },
  {
    code: 'TOKEN_CLOSED',
    package: '@brokerwire/tokens',
    meaning: 'The object was closed with `close()`.',
    retryable: 'no',
    remedy: 'Create a new object.',
    message: 'get() was aborted by close() or called after it. Create the access tokens again',
  },
]
