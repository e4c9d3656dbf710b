import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  eventSubject,
  getAccount,
  matchesSubject,
  noticeSubject,
  type StreamAddress,
  streamName,
  streamSubjects,
  subjectRoot,
  subjectToken,
} from './subjects.ts'

const address: StreamAddress = { prefix: 'brokerwire', environment: 'sandbox', region: 'us', app: 'team-a' }
const root = subjectRoot(address)
const anyText = fc.string({ unit: 'binary', maxLength: 40 })

describe('subjects', () => {
  test('have the forms of the README', () => {
    expect(root).toBe('brokerwire.sandbox.us.team-a')
    expect(streamSubjects(address)).toBe('brokerwire.sandbox.us.team-a.>')
    expect(streamName(address)).toBe('brokerwire_sandbox_us_team-a')
    expect(eventSubject(root, 'trade', 'ACC1', 'order')).toBe(`${root}.trade.event.ACC1.order`)
    expect(eventSubject(root, 'position', undefined, 'position')).toBe(`${root}.position.event._.position`)
    expect(eventSubject(root, 'module', 'a b', 'X.>')).toBe(`${root}.module.event.a=20b.X=2E=3E`)
    expect(noticeSubject(root, 'module', 'gap')).toBe(`${root}.module.notice.gap`)
  })

  test('encode each name as one token, and different names differently', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        const token = subjectToken(one)
        expect(token).toMatch(/^[A-Za-z0-9_=-]+$/)
        expect(token === subjectToken(other)).toBe(one === other)
      }),
    )
  })

  test.each([['_'], [''], ['='], ['=5F'], ['=sha256='], ['*'], ['>'], ['a.b'], ['\r\n'], ['\u00e9']])(
    'distinguish an account %j from a missing one and from the end of a subject',
    (account) => {
      const subject = eventSubject(root, 'trade', account, 'order')
      expect(subject.split('.')).toHaveLength(8)
      expect(subject).not.toContain('._.')
      expect(subject).toMatch(/^[\w.=-]+$/)
    },
  )

  test('contain the hash of a long name, and are shorter than 4 KiB', () => {
    const long = '\u{1f4c8}'.repeat(5000)
    expect(subjectToken(long)).toMatch(/^=sha256=[0-9a-f]{64}$/)
    expect(subjectToken(long)).not.toBe(subjectToken(`${long}x`))
    expect(subjectToken('a'.repeat(1024))).toBe('a'.repeat(1024))
    expect(subjectToken('.'.repeat(1024))).toMatch(/^=sha256=/)
    const widest = subjectRoot({
      ...address,
      prefix: 'p'.repeat(64),
      app: 'k'.repeat(64),
      environment: 'production',
    })
    for (const name of [long, 'a'.repeat(1024), '.'.repeat(341)])
      expect(eventSubject(widest, 'position', name, name).length).toBeLessThan(2500)
  })
})

test.each([
  ['a.b', 'a.b', true],
  ['a.*', 'a.b', true],
  ['a.>', 'a.b.c', true],
  ['a.*.c', 'a.b.c', true],
  ['>', 'a', true],
  ['a.>', 'a', false],
  ['a.*', 'a.b.c', false],
  ['a.*', 'a', false],
  ['a.b.c', 'a.b', false],
  ['a.b', 'a.b.c', false],
  ['a.c', 'a.b', false],
])('filter %s matches %s: %s', (filter, subject, takes) => {
  expect(matchesSubject(filter, subject)).toBe(takes)
})

describe('the account of a payload', () => {
  test.each([
    ['{"account_id":"ACC1","order_id":"1"}', 'ACC1'],
    ['{"id":"1","event_type":"FUNDING","payload":{"account_id":"ACC2"}}', 'ACC2'],
    ['{"account_id":"outer","payload":{"account_id":"inner"}}', 'outer'],
    ['{"event_name":"position events have none"}', undefined],
    ['{"account_id":7}', undefined],
    ['{"account_id":""}', undefined],
    ['{"payload":null}', undefined],
    ['{"payload":["account_id"]}', undefined],
    ['{"payload":{"account_id":{}}}', undefined],
    ['["account_id"]', undefined],
    ['not JSON', undefined],
    ['', undefined],
  ])('in %s is %s', (payload, account) => {
    expect(getAccount(payload)).toBe(account)
  })
})
