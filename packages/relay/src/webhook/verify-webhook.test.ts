import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { signWebhook } from './sign-webhook.ts'
import { type VerifyWebhookOptions, verifyWebhook } from './verify-webhook.ts'

const SECRET = `whsec_${btoa('0123456789abcdefghijklmnopqrstuv')}`
const OTHER = `whsec_${btoa('ABCDEFGHIJKLMNOPQRSTUVWXYZ012345')}`
const TEXT = '{"type":"order","data":{"price":"1.10"}}'
const body = new TextEncoder().encode(TEXT)
const nowMs = 1_767_225_600_000
const now = () => nowMs

const signed = async (options: { id?: string; secrets?: string | string[]; atMs?: number } = {}) =>
  signWebhook({
    id: options.id ?? 'msg_1',
    body,
    secrets: options.secrets ?? SECRET,
    now: () => options.atMs ?? nowMs,
  })

const verify = (headers: VerifyWebhookOptions['headers'], options: Partial<VerifyWebhookOptions> = {}) =>
  verifyWebhook({ headers, body, secrets: SECRET, now, ...options })

describe('verifyWebhook', () => {
  test('accepts a request that standardwebhooks signed', async () => {
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
    const signature = new Webhook(SECRET).sign(id, new Date(nowMs), TEXT)
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(nowMs / 1000),
      'webhook-signature': signature,
    }
    expect(await verify(headers)).toEqual({ ok: true, id, timestampMs: nowMs })
  })

  test('standardwebhooks accepts a request that signWebhook signed', async () => {
    const headers = await signWebhook({ id: 'msg_2', body, secrets: [OTHER, SECRET] })
    expect(new Webhook(SECRET).verify(TEXT, headers)).toEqual(JSON.parse(TEXT))
    expect(new Webhook(OTHER).verify(TEXT, headers)).toEqual(JSON.parse(TEXT))
    expect(() => new Webhook(SECRET).verify(`${TEXT} `, headers)).toThrow()
  })

  test('accepts a signature with either secret while a secret is replaced', async () => {
    for (const secrets of [SECRET, OTHER, [OTHER, SECRET]])
      expect(await verify(await signed({ secrets }), { secrets: [SECRET, OTHER] })).toMatchObject({
        ok: true,
      })
    expect(await verify(await signed({ secrets: [OTHER, SECRET] }))).toMatchObject({ ok: true })
    expect(await verify(await signed({ secrets: OTHER }))).toEqual({
      ok: false,
      rule: 'signature',
      header: 'webhook-signature',
    })
  })

  test('reads a Headers object, the headers of Node, and names in any case', async () => {
    const headers = await signed()
    expect(await verify(new Headers(headers))).toMatchObject({ ok: true })
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    )
    expect(await verify(upper)).toMatchObject({ ok: true })
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
    expect(await verify(lists)).toMatchObject({ ok: true })
  })

  test('reads a body as an ArrayBuffer or as a part of one', async () => {
    const headers = await signed()
    const padded = new Uint8Array([1, ...body, 2])
    const bodies = [
      body,
      body.slice().buffer,
      padded.subarray(1, -1),
      new DataView(padded.buffer, 1, body.length),
    ]
    for (const bytes of bodies) expect(await verify(headers, { body: bytes })).toMatchObject({ ok: true })
  })

  test.each([
    [-300_000, true],
    [300_000, true],
    [-301_000, false],
    [301_000, false],
  ])('compares a timestamp that differs by %d ms with the tolerance of five minutes', async (byMs, ok) => {
    expect(await verify(await signed({ atMs: nowMs + byMs }))).toMatchObject({ ok })
  })

  test('names the distance of a timestamp outside of the tolerance', async () => {
    expect(await verify(await signed({ atMs: nowMs - 61_000 }), { toleranceMs: 60_000 })).toEqual({
      ok: false,
      rule: 'timestamp',
      header: 'webhook-timestamp',
      reason: '61 s behind this clock',
    })
  })

  test.each([
    ['webhook-id', undefined, 'missing-header'],
    ['webhook-id', '', 'missing-header'],
    ['webhook-id', ['a', 'a'], 'repeated-header'],
    ['webhook-id', 'a b', 'malformed-header'],
    ['webhook-id', 'x'.repeat(257), 'malformed-header'],
    ['webhook-id', 'msg_2', 'signature'],
    ['webhook-timestamp', undefined, 'missing-header'],
    ['webhook-timestamp', '1767225600.5', 'malformed-header'],
    ['webhook-timestamp', '-1', 'malformed-header'],
    ['webhook-timestamp', '1767225601', 'signature'],
    ['webhook-signature', undefined, 'missing-header'],
    ['webhook-signature', 'v1', 'malformed-header'],
    ['webhook-signature', 'v1,', 'malformed-header'],
    ['webhook-signature', 'v1,AAAA', 'malformed-header'],
    ['webhook-signature', `v1,${'A'.repeat(43)}=x`, 'malformed-header'],
    ['webhook-signature', 'v2,AAAA', 'malformed-header'],
    ['webhook-signature', `v1,${'A'.repeat(43)}=`, 'signature'],
    ['webhook-signature', `v1,${'A'.repeat(43)}= `.repeat(50), 'malformed-header'],
  ])('rejects %s with the value %j by the rule %s', async (header, value, rule) => {
    const headers = { ...(await signed()), [header]: value }
    const named = rule === 'signature' ? 'webhook-signature' : header
    expect(await verify(headers)).toEqual({ ok: false, rule, header: named })
  })

  test('ignores signatures of other versions', async () => {
    const headers = await signed()
    const list = `v1a,AAAA ${headers['webhook-signature']} v2,x`
    expect(await verify({ ...headers, 'webhook-signature': list })).toMatchObject({ ok: true })
  })

  test('rejects a changed body', async () => {
    const changed = body.slice()
    changed[5] = 1
    expect(await verify(await signed(), { body: changed })).toMatchObject({ ok: false, rule: 'signature' })
  })

  test.each([
    ['no secret', undefined],
    ['an empty list', []],
    ['nine secrets', Array.from({ length: 9 }, () => SECRET)],
    ['a secret without its prefix', SECRET.slice(6)],
    ['a secret of 23 bytes', `whsec_${btoa('x'.repeat(23))}`],
    ['a secret of 65 bytes', `whsec_${btoa('x'.repeat(65))}`],
    ['a secret that is not base64', 'whsec_topsecret topsecret topsecret topsecret'],
    ['an object', { key: SECRET }],
  ])('throws for %s, without the secret in the message', async (_, secrets) => {
    const call = verify(await signed(), { secrets: secrets as never })
    await expect(call).rejects.toMatchObject({ code: 'RELAY_OPTION_INVALID' })
    const message = await call.catch((error: unknown) => String(error))
    expect(message).toContain('secrets')
    expect(message).not.toMatch(/MDEy|topsecret|eHh4/)
  })

  test('throws for a body that a parser has read', async () => {
    for (const parsed of [TEXT, JSON.parse(TEXT), undefined])
      await expect(verify(await signed(), { body: parsed as never })).rejects.toMatchObject({
        code: 'RELAY_OPTION_INVALID',
        details: { option: 'body' },
      })
  })
})
