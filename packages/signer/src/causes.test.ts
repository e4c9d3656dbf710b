/** Which rows of the table fit which difference: all of them, in order, and none besides. */
import { compare } from '@brokerwire/signer'
import { describe, expect, it } from 'vitest'
import { CAUSES } from './causes.ts'

const KEY = 'x-app-key=k&x-signature-algorithm=HMAC-SHA1&x-signature-nonce=0&x-signature-version=1.0'
const TIME = 'x-timestamp=2026-03-01T12:00:00Z'
const of = (path: string, entries: string, digest = '', host = 'h.example'): string =>
  `${path}&${entries}${entries && '&'}host=${host}&${KEY}&${TIME}${digest && `&${digest}`}`
const plain = of('/p', '')
const MD5 = 'A'.repeat(32)

async function causesOf(ours: string, theirs: string): Promise<string> {
  const comparison = await compare(ours, theirs)
  if (comparison.equal) return 'equal'
  const causes = comparison.causes.map(({ cause }) => cause).join(' ')
  return `${comparison.part} ${comparison.name}: ${causes}`.replace(' :', ':')
}

describe('the table of causes', () => {
  it.each<[what: string, ours: string, theirs: string, causes: string]>([
    ['an encoded space', of('/p', 'a=1 2'), of('/p', 'a=1%202'), 'entry a: double-encoding'],
    ['a plus', of('/p', 'a=1+2'), of('/p', 'a=1 2'), 'entry a: plus-for-space'],
    ['a plus on either side', of('/p', 'a=1+2 3'), of('/p', 'a=1 2+3'), 'entry a: plus-for-space'],
    ['a plus in the path', of('/p+q', ''), of('/p q', ''), 'path: plus-for-space other-path'],
    ['the default port', of('/p', '', '', 'h.example:443'), plain, 'entry host: port other-host'],
    ['two ports', of('/p', '', '', 'h:80'), of('/p', '', '', 'h:443'), 'entry host: port other-host'],
    ['no port', of('/p', '', '', 'h:80x'), of('/p', '', '', 'hx'), 'entry host: other-host'],
    ['a port in a value', of('/p', 'a=h:80'), of('/p', 'a=h'), 'entry a: other-value'],
    ['capitals in the host', of('/p', '', '', 'H.example'), plain, 'entry host: host-case other-host'],
    ['capitals in a value', of('/p', 'a=A'), of('/p', 'a=a'), 'entry a: other-value'],
    ['another host', of('/p', '', '', 'internal:8080'), plain, 'entry host: other-host'],
    ['a prefix', of('/api/p', ''), plain, 'path: other-path'],
    ['our path encoded', of('/a%20b', ''), of('/a b', ''), 'path: path-encoding other-path'],
    ['their path encoded', of('/a b', ''), of('/a%20b', ''), 'path: path-encoding other-path'],
    ['the clock', plain, plain.replace('12:00', '12:07'), 'entry x-timestamp: clock'],
    ['the nonce', plain, plain.replace('nonce=0', 'nonce=1'), 'entry x-signature-nonce: other-request'],
    ['the algorithm', plain, plain.replace('SHA1', 'SHA2'), 'entry x-signature-algorithm: wrong-algorithm'],
    ['the app key', plain, plain.replace('key=k', 'key=q'), 'entry x-app-key: other-app-key'],
    [
      'a collision',
      of('/p', '', '', 'aaa&h.example'),
      of('/p', '', '', 'h.example&aaa'),
      'entry host: header-collision other-host value-order',
    ],
    [
      'another value in a collision',
      of('/p', '', '', 'aaa&h.example'),
      of('/p', '', '', 'h.example&bbb'),
      'entry host: other-host',
    ],
    ['values in another order', of('/p', 'a=1&2'), of('/p', 'a=2&1'), 'entry a: value-order'],
    ['their values in the right order', of('/p', 'a=2&1'), of('/p', 'a=1&2'), 'entry a: value-order'],
    ['two entries made one', of('/p', 'a=1&b=1'), of('/p', 'a=1b=1'), 'entry a: other-value'],
    [
      'another host, and another algorithm further on',
      plain,
      of('/p', '', '', 'internal').replace('SHA1', 'SHA256'),
      'entry host: other-host',
    ],
    [
      'headers in another order',
      plain,
      `/p&host=h.example&${KEY.replace('x-signature-nonce=0&', '')}&x-signature-nonce=0&${TIME}`.replace(
        /(x-signature-algorithm=HMAC-SHA1)&(x-signature-version=1.0)/,
        '$2&$1',
      ),
      'entry x-signature-algorithm: entry-order',
    ],
    ['values cut elsewhere', of('/p', 'a=1&23'), of('/p', 'a=12&3'), 'entry a: other-value'],
    ['entries in another order', of('/p', 'b=1&a=2'), of('/p', 'a=2&b=1'), 'entry b: entry-order'],
    ['no digest', of('/p', '', MD5), plain, 'digest: missing-digest other-body missing-entry'],
    ['a digest', plain, of('/p', '', MD5), 'digest: missing-digest other-body missing-entry'],
    [
      'a longer digest',
      of('/p', '', MD5),
      of('/p', '', 'A'.repeat(64)),
      'digest: wrong-algorithm other-body',
    ],
    [
      'a digest in lower case',
      of('/p', '', MD5),
      of('/p', '', MD5.toLowerCase()),
      'digest: digest-case other-body',
    ],
    ['another digest', of('/p', '', MD5), of('/p', '', 'B'.repeat(32)), 'digest: other-body'],
    ['an entry less', of('/p', 'a=1&b=2'), of('/p', 'a=1'), 'entry b: missing-entry'],
    ['an entry more', of('/p', 'a=1'), of('/p', 'a=1&b=2'), 'entry b: missing-entry'],
    ['no app key', plain, plain.replace('x-app-key=k&', ''), 'entry x-app-key: missing-entry'],
    ['no host', plain, plain.replace('host=h.example&', ''), 'entry host: missing-entry'],
    [
      'no algorithm',
      plain,
      plain.replace('x-signature-algorithm=HMAC-SHA1&', ''),
      'entry x-signature-algorithm: wrong-algorithm missing-entry',
    ],
    ['another value', of('/p', 'a=1'), of('/p', 'a=2'), 'entry a: other-value'],
    ['values that hold their name', of('/p', 'a=b=1'), of('/p', 'a=1=b'), 'entry a: other-value'],
  ])('%s', async (_what, ours, theirs, causes) => {
    expect(await causesOf(ours, theirs)).toBe(causes)
  })

  it('explains every row in a sentence', () => {
    for (const { explanation } of CAUSES) expect(explanation).toMatch(/^[A-Z].{15,}\.$/)
  })
})
