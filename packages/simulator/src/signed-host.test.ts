import { describe, expect, it } from 'vitest'
import { signedHosts } from './signed-host.ts'

describe('the hosts that a signature may cover', () => {
  it.each([
    ['example.com', ['example.com']],
    ['Example.COM', ['example.com', 'Example.COM']],
    ['example.com:443', ['example.com', 'example.com:443']],
    ['EXAMPLE.com:443', ['example.com', 'example.com:443', 'EXAMPLE.com:443']],
    ['example.com:8443', ['example.com:8443']],
    ['[::1]:443', ['[::1]', '[::1]:443']],
    ['[::1]', ['[::1]']],
    ['', ['']],
  ])('are correct with TLS for %j', (host, hosts) => {
    expect(signedHosts(host, { isTls: true, hostPort: 'signed' })).toEqual(hosts)
  })

  it('have two default ports in clear text, because the real service uses TLS', () => {
    const rules = { isTls: false, hostPort: 'signed' } as const
    expect(signedHosts('h:80', rules)).toEqual(['h', 'h:80'])
    expect(signedHosts('h:443', rules)).toEqual(['h', 'h:443'])
    expect(signedHosts('h:80', { ...rules, isTls: true })).toEqual(['h:80'])
  })

  it('may omit any port if the option allows it', () => {
    const rules = { isTls: false, hostPort: 'optional' } as const
    expect(signedHosts('127.0.0.1:5000', rules)).toEqual(['127.0.0.1:5000', '127.0.0.1'])
    expect(signedHosts('[::1]:5000', rules)).toEqual(['[::1]:5000', '[::1]'])
  })
})
