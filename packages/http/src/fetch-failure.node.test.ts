/** What only the hosts that are no Worker say of a request that did not leave: in Workers such codes mean nothing. */
import { expect, test } from 'vitest'
import { readFetchFailure } from './fetch-failure.ts'

test.each([
  [{ cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } }, 'UND_ERR_CONNECT_TIMEOUT'],
  [{ cause: { code: 'CERT_HAS_EXPIRED' } }, 'CERT_HAS_EXPIRED'],
  [{ cause: { code: 'UND_ERR_NOT_SUPPORTED' } }, 'UND_ERR_NOT_SUPPORTED'],
  [{ cause: { code: 'ERR_SSL_UNSUPPORTED_PROTOCOL' } }, 'ERR_SSL_UNSUPPORTED_PROTOCOL'],
  [{ cause: { code: 'ECONNRESET', host: 'h', port: 1, localAddress: undefined } }, 'ECONNRESET'],
  [{ cause: { message: 'bad port' } }, 'bad_port'],
  [{ code: 'ConnectionRefused' }, 'ConnectionRefused'],
])('%j: it did not leave', (thrown, reason) => {
  expect(readFetchFailure(thrown)).toEqual({ sent: false, reason })
})
