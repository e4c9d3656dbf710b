import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import http from '../../../../testdata/vectors/http-signatures.json' with { type: 'json' }
import { run } from '../test/run.ts'
import { temporaryFile } from '../test/temporary.ts'

const path = (name: string): string =>
  fileURLToPath(new URL(`../../../../testdata/vectors/${name}`, import.meta.url))
const [documented] = http.documented
const write = (json: unknown): Promise<string> => temporaryFile('vectors.json', JSON.stringify(json))

describe('brokerwire vectors', () => {
  test.each([
    ['http-signatures.json', '335 passed, 0 failed'],
    ['stream-signatures.json', '104 passed, 0 failed'],
  ])('passes all records of %s', async (name, line) => {
    expect(await run(['vectors', path(name)])).toEqual({ status: 0, out: [line], err: [] })
  })

  test('adds up the results of several files', async () => {
    const { out } = await run(['vectors', path('http-signatures.json'), path('stream-signatures.json')])
    expect(out).toEqual(['439 passed, 0 failed'])
  })

  test('gives the same result in a process', () => {
    const command = fileURLToPath(new URL('../../bin/brokerwire.js', import.meta.url))
    const { status, stdout } = spawnSync(
      process.execPath,
      [command, 'vectors', path('stream-signatures.json')],
      {
        encoding: 'utf8',
      },
    )
    expect({ status, stdout }).toEqual({ status: 0, stdout: '104 passed, 0 failed\n' })
  })

  test('finds records in arrays at any depth, and nowhere else', async () => {
    const file = await write([
      [{ notes: [{ cases: [documented] }], path: documented }],
      { a: { path: '/x' } },
    ])
    const { status, out } = await run(['vectors', file])
    expect(out.at(-1)).toBe('0 passed, 1 failed')
    expect(status).toBe(1)
    const deep = `${'['.repeat(50_000)}${JSON.stringify(documented)}${']'.repeat(50_000)}`
    expect((await run(['vectors', await temporaryFile('deep.json', deep)])).out).toEqual([
      '1 passed, 0 failed',
    ])
  })

  test('reports a wrong canonical string before the signature', async () => {
    const file = await write({
      a: [
        { ...documented, canonical: documented?.canonical.replace('a1=webull', 'a1=Webull'), signature: 'x' },
      ],
    })
    const { status, out } = await run(['vectors', file])
    expect(status).toBe(1)
    expect(out[0]).toBe('a[0] "documentation worked example": the canonical differs from character 23 on')
    expect(out.at(-1)).toBe('0 passed, 1 failed')
  })

  test('reports a wrong signature of the right canonical string as a signature mismatch', async () => {
    const { out } = await run([
      'vectors',
      await write({ a: [{ ...documented, signature: 'x' }, documented] }),
    ])
    expect(out[0]).toBe('a[0] "documentation worked example": the signature differs from character 1 on')
    expect(out.at(-1)).toBe('1 passed, 1 failed')
  })

  test('shows only the first mismatches, but counts all', async () => {
    const { out } = await run([
      'vectors',
      await write({ a: Array(9).fill({ ...documented, signature: 'x' }) }),
    ])
    expect(out.filter((line) => line.includes('differs'))).toHaveLength(5)
    expect(out.at(-1)).toBe('0 passed, 9 failed')
  })

  test.each([
    ['appKey', { appKey: 7 }],
    ['timestamp', { timestamp: '2022-13-45T03:55:31Z' }],
    ['nonce', { nonce: null }],
    ['query', { query: [['a']] }],
    ['host', { host: undefined }],
    ['body', { body: 5 }],
    ['canonical', { canonical: [] }],
    ['requestHex', { requestHex: 'abc' }],
    ['algorithm', { algorithm: 'MD5' }],
  ])('reports a record with a wrong %s', async (name, wrong) => {
    const { status, out } = await run(['vectors', await write([{ ...documented, ...wrong }])])
    expect(status).toBe(1)
    expect(out[0]).toContain('the record differs')
    expect(out.join('\n').toLowerCase()).toContain(name.toLowerCase())
    expect(out.at(-1)).toBe('0 passed, 1 failed')
    expect(out.join()).not.toContain(documented?.appSecret)
  })

  test.each([
    ['no records', '{"a":[1,{"b":2}]}', 2, 'CLI_VECTORS_EMPTY'],
    ['no JSON', '{"a":', 2, 'CLI_INPUT_UNREADABLE'],
    ['no UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 2, 'CLI_INPUT_UNREADABLE'],
  ])('reports a file with %s', async (_, content, status, code) => {
    const result = await run(['vectors', await temporaryFile('vectors.json', content)])
    expect(result.status).toBe(status)
    expect(result.err[0]).toContain(code)
  })

  test('reports a file that does not exist', async () => {
    const { status, err } = await run(['vectors', '/nowhere/vectors.json'])
    expect(status).toBe(2)
    expect(err[0]).toContain('CLI_INPUT_UNREADABLE: /nowhere/vectors.json cannot be read: ENOENT')
  })

  test('reports a missing file argument as wrong usage', async () => {
    expect((await run(['vectors'])).status).toBe(2)
  })
})
