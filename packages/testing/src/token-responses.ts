/** Responses of the token endpoints, as the documents describe them. */
export const TOKEN = '0123456789abcdef0123456789abcdef'
export const RECORD = { token: TOKEN, expires_at: 1_900_000_000_000, status: 'NORMAL' }
export const PAIR = {
  access_token: 'access-token-1',
  expires_at: 1_900_000_000_000,
  refresh_token: 'refresh-token-1',
  refresh_expires_at: 1_900_900_000_000,
}
