/** The questions of `doctor --live`, and how each answer is obtained. */

export const QUESTIONS = {
  'clock-offset':
    "the Date header of the first response minus the middle of the call by this host's clock; a header has whole seconds",
  'signature-algorithm': 'GET /openapi/config, signed with each algorithm',
  'access-token': 'token_check_enabled in the response of GET /openapi/config',
  'accounts-paths': 'the list of accounts in both path families, and for each a path that no source names',
  'token-paths':
    'the check of the stored token in both path families, and for each a path that no source names',
  'market-data-paths':
    'a snapshot of one stock in both path families, and for each a path that no source names',
  'api-versions': 'the list of accounts in both path families, with x-version v2 and v3',
  'stream-algorithm': 'a subscription to the trade stream, signed with each algorithm',
  'stream-token':
    'a subscription to the trade stream without an access token, and with it if that is rejected; whether events are delivered is not measured',
  'event-connections':
    'subscriptions to the trade stream, each on its own connection: at most six attempts, of which at most three stay open; connections of other programs count too',
  'ping-interval': 'the times at which pings arrived on the first event connection',
  'rate-limit-headers': 'the headers of a 429, if one came; no call is made to cause one',
} as const

/** Name of a question. */
export type Question = keyof typeof QUESTIONS

export const QUESTION_NAMES = Object.keys(QUESTIONS) as readonly Question[]
