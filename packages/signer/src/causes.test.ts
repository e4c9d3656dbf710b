/** The rows of the table that match a difference, all of them and in order. */
import { compare } from '@brokerwire/signer'
import { describe, expect, it } from 'vitest'
import { KNOWN_MISMATCHES } from './causes.ts'

const KEY = 'x-app-key=k&x-signature-algorithm=HMAC-SHA1&x-signature-nonce=0&x-signature-version=1.0'
const TIME = 'x-timestamp=2026-03-01T12:00:00Z'
const of = (path: string, entries: string, digest = '', host = 'h.example'): string =>
  `${path}&${entries}${entries && '&'}host=${host}&${KEY}&${TIME}${digest && `&${digest}`}`
const plain = of('/p', '')
const MD5 = 'A'.repeat(32)
const nonce = (text: string): string => plain.replace('nonce=0', `nonce=${text}`)
const twice = (text: string): string => encodeURIComponent(encodeURIComponent(text))
const stream = `${KEY.replaceAll('&', '=')}=${TIME}&${'a'.repeat(64)}`

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
    ['a plus in the path', of('/p+q', ''), of('/p q', ''), 'path: plus-for-space'],
    ['the default port', of('/p', '', '', 'h.example:443'), plain, 'entry host: port other-host'],
    ['two ports', of('/p', '', '', 'h:80'), of('/p', '', '', 'h:443'), 'entry host: port other-host'],
    ['no port', of('/p', '', '', 'h:80x'), of('/p', '', '', 'hx'), 'entry host: other-host'],
    ['a port in a value', of('/p', 'a=h:80'), of('/p', 'a=h'), 'entry a: other-value'],
    ['capitals in the host', of('/p', '', '', 'H.example'), plain, 'entry host: host-case other-host'],
    ['capitals in a value', of('/p', 'a=A'), of('/p', 'a=a'), 'entry a: other-value'],
    ['another host', of('/p', '', '', 'internal:8080'), plain, 'entry host: other-host'],
    ['a prefix', of('/api/p', ''), plain, 'path: other-path'],
    ['our path encoded', of('/a%20b', ''), of('/a b', ''), 'path: path-encoding'],
    ['their path encoded', of('/a b', ''), of('/a%20b', ''), 'path: path-encoding'],
    ['escapes in other capitals', of('/p', 'a=%2f'), of('/p', 'a=%2F'), 'entry a: other-value'],
    ['paths with an equals sign', of('/a=1', ''), of('/b=1', ''), 'path: other-path'],
    ['a plus next to half an escape', of('/p', 'a=1+%5'), of('/p', 'a=1 %5'), 'entry a: plus-for-space'],
    ['the clock', plain, plain.replace('12:00', '12:07'), 'entry x-timestamp: clock'],
    ['the nonce', plain, plain.replace('nonce=0', 'nonce=1'), 'entry x-signature-nonce: other-request'],
    ['the algorithm', plain, plain.replace('SHA1', 'SHA2'), 'entry x-signature-algorithm: wrong-algorithm'],
    ['the app key', plain, plain.replace('key=k', 'key=q'), 'entry x-app-key: other-app-key'],
    [
      'a collision',
      of('/p', '', '', 'aaa&h.example'),
      of('/p', '', '', 'h.example&aaa'),
      'entry host: header-collision',
    ],
    [
      'another value in a collision',
      of('/p', '', '', 'aaa&h.example'),
      of('/p', '', '', 'h.example&bbb'),
      'entry host: other-value',
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
    ['no digest', of('/p', '', MD5), plain, 'digest: missing-digest'],
    ['a digest', plain, of('/p', '', MD5), 'digest: missing-digest'],
    [
      'a longer digest',
      of('/p', '', MD5),
      of('/p', '', 'A'.repeat(64)),
      'digest: wrong-algorithm other-body',
    ],
    ['a digest in lower case', of('/p', '', MD5), of('/p', '', MD5.toLowerCase()), 'digest: digest-case'],
    ['another digest', of('/p', '', MD5), of('/p', '', 'B'.repeat(32)), 'digest: other-body'],
    ['an entry less', of('/p', 'a=1&b=2'), of('/p', 'a=1'), 'entry b: missing-entry'],
    ['an entry more', of('/p', 'a=1'), of('/p', 'a=1&b=2'), 'entry b: missing-entry'],
    ['no app key', plain, plain.replace('x-app-key=k&', ''), 'entry x-app-key: missing-entry'],
    ['no host', plain, plain.replace('host=h.example&', ''), 'entry host: missing-entry'],
    [
      'no algorithm',
      plain,
      plain.replace('x-signature-algorithm=HMAC-SHA1&', ''),
      'entry x-signature-algorithm: missing-entry',
    ],
    ['another value', of('/p', 'a=1'), of('/p', 'a=2'), 'entry a: other-value'],
    // Text around the string: text that logs add, and text that only looks similar.
    ['a line break', plain, `${plain}\n`, 'entry x-timestamp: copied-text'],
    ['our line break', `${plain}\r\n`, plain, 'entry x-timestamp: copied-text'],
    ['a final separator', plain, `${plain}&`, 'entry x-timestamp: copied-text'],
    ['a final separator and a line break', plain, `${plain}&\n`, 'entry x-timestamp: copied-text'],
    ['words behind', plain, `${plain} (12 ms)`, 'entry x-timestamp: copied-text'],
    ['a line break behind a digest', of('/p', '', MD5), `${of('/p', '', MD5)}\n`, 'digest: copied-text'],
    [
      'a line break behind a digest in lower case',
      of('/p', '', MD5),
      `${of('/p', '', MD5.toLowerCase())}\n`,
      'digest: digest-case',
    ],
    [
      'a line break behind another digest',
      of('/p', '', MD5),
      `${of('/p', '', 'B'.repeat(32))}\n`,
      'digest: other-body',
    ],
    [
      'words behind a digest',
      of('/p', '', MD5),
      `${of('/p', '', MD5)}, sent`,
      'entry x-timestamp: copied-text',
    ],
    [
      'a separator behind a digest',
      of('/p', '', MD5),
      `${of('/p', '', MD5)}&`,
      'entry x-timestamp: copied-text',
    ],
    ['quotes', plain, `"${plain}"`, 'path: copied-text'],
    ['a label', plain, `canonical: ${plain}`, 'path: copied-text'],
    ['a prefix before all that', plain, `/api${plain}`, 'path: other-path'],
    ['a method', plain, `GET&${plain}`, 'path: other-path'],
    ['a value that goes on', plain, `${plain}9`, 'entry x-timestamp: other-value'],
    ['a further value', plain, `${plain}&9`, 'entry x-timestamp: other-value'],
    ['a line break and another value', of('/p', 'a=1'), `${of('/p', 'a=2')}\n`, 'entry a: other-value'],
    ['a last value that goes on', `${plain}&z=1`, `${plain}&z=1 2`, 'entry z: other-value'],
    // Differences between upper and lower case.
    ['a nonce in capitals', nonce('ab'), nonce('AB'), 'entry x-signature-nonce: header-case'],
    [
      'an algorithm in small letters',
      plain,
      plain.replace('HMAC-SHA1', 'hmac-sha1'),
      'entry x-signature-algorithm: header-case',
    ],
    ['a timestamp in small letters', plain, plain.replace('00Z', '00z'), 'entry x-timestamp: header-case'],
    ['an app key in capitals', plain, plain.replace('=k', '=K'), 'entry x-app-key: header-case'],
    ['another format of the time', plain, plain.replace('00Z', '00.000Z'), 'entry x-timestamp: clock'],
    // Repeated names in the query.
    ['an entry for each value', of('/p', 'a=1&3'), of('/p', 'a=1&a=3'), 'entry a: repeated-name'],
    ['our entry for each value', of('/p', 'a=1&a=3'), of('/p', 'a=1&3'), 'entry a: repeated-name'],
    ['one each, in another order', of('/p', 'a=1&3'), of('/p', 'a=3&a=1'), 'entry a: repeated-name'],
    ['one each, apart', of('/p', 'a=1&3&b=2'), of('/p', 'a=1&b=2&a=3'), 'entry a: repeated-name'],
    ['one each, and another value', of('/p', 'a=1&3'), of('/p', 'a=1&a=4'), 'entry a: other-value'],
    ['one value less', of('/p', 'a=1&3'), of('/p', 'a=3'), 'entry a: other-value'],
    [
      'an entry for the header and one for the query',
      of('/p', '', '', 'aaa&h.example'),
      of('/p', '', '', 'aaa&host=h.example'),
      'entry host: repeated-name',
    ],
    [
      'a query name that is a header’s left out',
      of('/p', '', '', 'aaa&h'),
      of('/p', '', '', 'h'),
      'entry host: other-value',
    ],
    [
      'a time of the query left out',
      plain.replace('timestamp=', 'timestamp=1&'),
      plain,
      'entry x-timestamp: other-value',
    ],
    // Differences of the percent-encoding.
    ['an encoded name', of('/p', 'a=1&é=2'), of('/p', '%C3%A9=2&a=1'), 'entry %C3%A9: double-encoding'],
    ['our encoded name', of('/p', '%C3%A9=2&a=1'), of('/p', 'a=1&é=2'), 'entry %C3%A9: double-encoding'],
    ['an encoded value with a plus', of('/p', 'a=x&y z'), of('/p', 'a=x%26y+z'), 'entry a: double-encoding'],
    ['an encoded value and another', of('/p', 'a=x y'), of('/p', 'a=x%20z'), 'entry a: other-value'],
    ['a percent sign and a plus', of('/p', 'a=5% x'), of('/p', 'a=5%+x'), 'entry a: plus-for-space'],
    ['a path with other digits', of('/%C3%A9', ''), of('/%c3%a9', ''), 'path: path-encoding'],
    ['the whole twice', plain, twice(plain), 'path: double-encoding'],
    ['ours twice', twice(plain), plain, 'path: double-encoding'],
    ['ours encoded, theirs twice', encodeURIComponent(plain), twice(plain), 'path: double-encoding'],
    ['a whole stream twice', stream, twice(stream), 'path: double-encoding'],
    ['both twice, and another value', twice(of('/p', 'a=1')), twice(of('/p', 'a=2')), 'entry a: other-value'],
    [
      'the whole as a form, and so each space',
      of('/p', 'a=1*&b=x y'),
      encodeURIComponent(of('/p', 'a=1*&b=x y')).replace(/%20/g, '+'),
      'entry b: plus-for-space',
    ],
    [
      'the whole in small digits, and another value',
      of('/p', 'a=é'),
      encodeURIComponent(of('/p', 'a=è')).toLowerCase(),
      'entry a: other-value',
    ],
    // Differences of streams.
    [
      'a stream joined like a request',
      stream,
      stream.replaceAll('=x-', '&x-'),
      'entry x-app-key: stream-form',
    ],
    [
      'our stream joined like a request',
      stream.replaceAll('=x-', '&x-'),
      stream,
      'entry x-app-key: stream-form',
    ],
    [
      'both joined so, and another nonce',
      stream.replaceAll('=x-', '&x-'),
      stream.replaceAll('=x-', '&x-').replace('nonce=0', 'nonce=1'),
      'entry x-signature-nonce: other-value',
    ],
    [
      'a request whose app key ends otherwise',
      plain,
      plain.replace('=k&', '=k&&'),
      'entry x-app-key: other-value',
    ],
    ['a separator before a stream', stream, `&${stream.replaceAll('=x-', '&x-')}`, 'path: other-path'],
    ['our digest behind =', stream.replace('Z&', 'Z='), stream, 'entry x-timestamp: other-value'],
    [
      'our line break behind another digest',
      `${of('/p', '', MD5)}\n`,
      of('/p', '', 'B'.repeat(32)),
      'digest: other-body',
    ],
    [
      'our line break behind a digest in lower case',
      `${of('/p', '', MD5.toLowerCase())}\n`,
      of('/p', '', MD5),
      'digest: digest-case',
    ],
    ['a digest behind =', stream, stream.replace('Z&', 'Z='), 'entry x-timestamp: other-value'],
    ['another last second', plain, plain.replace('00Z', '01Z'), 'entry x-timestamp: clock'],
    ['another zone', plain, plain.replace('00Z', '00+'), 'entry x-timestamp: clock'],
    ['values that hold their name', of('/p', 'a=b=1'), of('/p', 'a=1=b'), 'entry a: other-value'],
  ])('finds the causes of %s', async (_what, ours, theirs, causes) => {
    expect(await causesOf(ours, theirs)).toBe(causes)
  })

  it('explains every row in a sentence', () => {
    for (const { explanation } of KNOWN_MISMATCHES) expect(explanation).toMatch(/^[A-Z].{15,}\.$/)
  })
})
