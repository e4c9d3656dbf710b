/**
 * The request of the workbench in the fragment of the page's address, which the browser does not send to the
 * server. The fragment contains no secret.
 */

/** The request that the workbench signs. */
export interface Example {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly appKey: string
  readonly algorithm: 'HMAC-SHA1' | 'HMAC-SHA256'
  /** Nonce of the request. Empty for a random nonce. */
  readonly nonce: string
  /** Timestamp of the request. Empty for the current time. */
  readonly timestamp: string
}

const FIRST_EXAMPLE: Example = {
  method: 'POST',
  url: 'https://api.example.com/openapi/orders?page=2&symbol=AAPL',
  body: '{"symbol":"AAPL","side":"BUY"}',
  appKey: 'example-key',
  algorithm: 'HMAC-SHA1',
  nonce: '0123456789abcdef0123456789abcdef',
  timestamp: '2026-01-31T14:05:09Z',
}

const NAMES = Object.keys(FIRST_EXAMPLE) as (keyof Example)[]

/** Returns the part of the fragment after `#/workbench?`. */
export function exampleQuery(example: Example): string {
  return new URLSearchParams(NAMES.map((name) => [name, example[name]])).toString()
}

/**
 * Parses the part of the fragment after `#/workbench?`. Missing fields get the values of the first example.
 * Unknown fields are ignored.
 */
export function parseExample(query: string): Example {
  const given = new URLSearchParams(query)
  const read = Object.fromEntries(NAMES.map((name) => [name, given.get(name) ?? FIRST_EXAMPLE[name]]))
  const algorithm = read.algorithm === 'HMAC-SHA256' ? 'HMAC-SHA256' : 'HMAC-SHA1'
  return { ...(read as unknown as Example), algorithm }
}
