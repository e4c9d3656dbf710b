/** The one request that every contender signs: a GET with three query parameters, and a POST of 64 KiB. */
export const APP_KEY = '776da210ab4a452795d74e726ebd74b6'
export const APP_SECRET = '0f50a2e853334a9aae1a783bee120c1f'
export const HOST = 'api.example.com'
export const PATH = '/openapi/account/positions'
export const QUERY: readonly (readonly [string, string])[] = [
  ['account_id', 'ABC123'],
  ['page_size', '50'],
  ['last_id', 'x y/z'],
]
export const BODY_BYTES = 65_536
