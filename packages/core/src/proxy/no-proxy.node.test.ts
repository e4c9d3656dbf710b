/** The forms of entries in NO_PROXY. */
import { expect, test } from 'vitest'
import { isInNoProxy } from './no-proxy.ts'

test.each<[list: string, hostname: string, port: number]>([
  ['*', 'api.example.com', 443],
  ['api.example.com', 'api.example.com', 443],
  ['API.Example.COM', 'api.example.com', 443],
  ['api.example.com.', 'api.example.com', 443],
  ['example.com', 'api.example.com', 443],
  ['.example.com', 'api.example.com', 443],
  ['.example.com', 'example.com', 443],
  ['*.example.com', 'api.example.com', 443],
  ['one.example, two.example', 'two.example', 443],
  ['one.example two.example', 'two.example', 443],
  ['one.example,,\ttwo.example,', 'two.example', 443],
  ['example.com:8443', 'api.example.com', 8443],
  ['*:8443', 'api.example.com', 8443],
  ['192.0.2.1', '192.0.2.1', 443],
  ['192.0.2.1:443', '192.0.2.1', 443],
  ['10.0.0.0/8', '10.200.3.4', 443],
  ['2001:db8::1', '2001:db8::1', 443],
  ['[2001:DB8:0::1]', '2001:db8::1', 443],
  ['[2001:db8::1]:8443', '2001:db8::1', 8443],
  ['fd00::/8', 'fd12::1', 443],
])('%j contains %s:%d', (list, hostname, port) => {
  expect(isInNoProxy(list, hostname, port)).toBe(true)
})

test.each<[list: string, hostname: string, port: number]>([
  ['', 'api.example.com', 443],
  [', ,', 'api.example.com', 443],
  ['.', 'api.example.com', 443],
  ['example.com', 'notexample.com', 443],
  ['example.com', 'example.com.evil', 443],
  ['api.example.com', 'example.com', 443],
  ['example.com:8443', 'example.com', 443],
  ['*:8443', 'example.com', 443],
  ['2.1', '192.0.2.1', 443],
  ['192.0.2.1', '192.0.2.10', 443],
  ['10.0.0.0/8', '11.0.0.1', 443],
  ['10.0.0.0/8', 'ten.example', 443],
  ['10.0.0.0/40', '10.0.0.1', 443],
  ['10.0.0.0/', '10.0.0.1', 443],
  ['example.com/8', 'example.com', 443],
  ['2001:db8::1', '2001:db8::2', 443],
  ['::/0', '192.0.2.1', 443],
])('%j does not contain %s:%d', (list, hostname, port) => {
  expect(isInNoProxy(list, hostname, port)).toBe(false)
})
