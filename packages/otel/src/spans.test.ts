import { expect, test } from 'vitest'
import { serverAttributes } from './spans.ts'

test.each([
  ['https://api.example.com', 'api.example.com', 443],
  ['http://127.0.0.1', '127.0.0.1', 80],
  ['http://127.0.0.1:8080', '127.0.0.1', 8080],
  ['https://[::1]:8443', '::1', 8443],
  ['https://[::1]', '::1', 443],
])('the server of %s is %s, port %i', (origin, address, port) => {
  expect(serverAttributes(origin)).toEqual({ 'server.address': address, 'server.port': port })
})

test('an attempt without an origin has no server', () => {
  expect(serverAttributes(undefined)).toEqual({})
})
