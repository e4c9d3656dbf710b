import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openModuleStream, sendRaw, sendSigned, signerOf, take } from '@brokerwire/testing/signed-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSimulator } from './index.ts'

async function freshFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'brokerwire-state-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, 'state.jsonl')
}

const linesOf = async (path: string) =>
  (await readFile(path, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('a state file', () => {
  it('preserves keys, tokens, customers, limits, events and cursors across a restart', async () => {
    const stateFile = await freshFile()
    const options = { stateFile, apps: [{ environment: 'sandbox' }, { name: 'hk', region: 'hk' }] } as const
    const first = await startSimulator(options)
    const { credentials } = first
    const { json } = await sendSigned(first, { path: '/auth/tokens/create', json: {} })
    const pair = await sendSigned(first, {
      path: '/auth/client-tokens/create',
      json: { client_user_id: 'u' },
    })
    for (let call = 0; call < 9; call += 1) {
      await sendSigned(first, { path: '/auth/tokens/check', json: { token: json.token } })
    }
    const [one, two] = [1, 2].map(() => first.emitModule({ module: 'journal' }))
    first.app('hk').placeOrder()
    await first.close()

    await using again = await startSimulator(options)
    expect(again.credentials.appKey).toBe(credentials.appKey)
    expect(again.credentials.appSecret.reveal()).toBe(credentials.appSecret.reveal())
    expect({ moduleEvents: again.moduleEvents(), tradeEvents: again.app('hk').tradeEvents() }).toEqual({
      moduleEvents: [one, two],
      tradeEvents: first.app('hk').tradeEvents(),
    })
    expect(again.isClientTokenLive(String(pair.json.access_token))).toBe(true)
    // The ten calls of this half minute were made before the restart.
    expect((await sendSigned(again, { path: '/auth/tokens/create', json: {} })).status).toBe(429)
    const echo = await sendSigned(again, {
      path: '/openapi/simulator/echo',
      headers: { 'x-access-token': String(json.token) },
    })
    expect(echo.status).toBe(200)
    const events = [{ eventType: 'JOURNAL', position: String(one?.position) }]
    const stream = await openModuleStream(again, { events })
    const three = again.emitModule({ module: 'journal' })
    expect((await take(stream, 3)).map(({ id }) => id).slice(1)).toEqual([two?.id, three.id])
    expect(new Set([one?.id, two?.id, three.id]).size).toBe(3)
    stream.abort.abort()
  })

  it('preserves approved, ended, expired and changed tokens, and ended client tokens', async () => {
    const options = { stateFile: await freshFile(), secondFactor: 'manual', rateLimit: false } as const
    const first = await startSimulator(options)
    const create = async (): Promise<string> =>
      String((await sendSigned(first, { path: '/auth/tokens/create', json: {} })).json.token)
    const names = ['waits', 'approved', 'ended', 'expired', 'moved'] as const
    const tokens = new Map<(typeof names)[number], string>()
    for (const name of names) tokens.set(name, await create())
    for (const name of names.slice(1)) first.approveSecondFactor(tokens.get(name))
    first.endAccessTokens({ token: tokens.get('ended') })
    first.endAccessTokens({ token: tokens.get('expired'), status: 'EXPIRED' })
    expect(first.setAccessTokenExpiry(tokens.get('moved') ?? '', 1000)).toBe(true)
    const pair = await sendSigned(first, {
      path: '/auth/client-tokens/create',
      json: { client_user_id: 'u' },
    })
    expect(first.endClientTokens('u')).toBe(true)
    await first.close()

    await using again = await startSimulator(options)
    const statuses = await Promise.all(
      names.map(async (name) => {
        const { json } = await sendSigned(again, {
          path: '/auth/tokens/check',
          json: { token: tokens.get(name) },
        })
        return [name, json.status]
      }),
    )
    expect(Object.fromEntries(statuses)).toEqual({
      waits: 'PENDING',
      approved: 'NORMAL',
      ended: 'INVALID',
      expired: 'EXPIRED',
      moved: 'EXPIRED',
    })
    expect(again.isClientTokenLive(String(pair.json.access_token))).toBe(false)
  })

  it('rejects replays from before the restart, and preserves the offset of the clock', async () => {
    const stateFile = await freshFile()
    const first = await startSimulator({ stateFile, httpPort: 0 })
    const port = Number(new URL(first.baseUrl).port)
    const { host } = new URL(first.baseUrl)
    const { headers } = await signerOf(first).sign({ scheme: 'http', host, path: '/openapi/config' })
    const ask = (sim: typeof first) => sendRaw(sim, { method: 'GET', target: '/openapi/config', headers })
    expect((await ask(first)).status).toBe(200)
    await first.close()
    const second = await startSimulator({ stateFile, httpPort: port })
    expect([(await ask(second)).json.message]).toEqual([expect.stringMatching(/^replay/)])
    await second.advance(86_400_000)
    await second.close()
    await using third = await startSimulator({ stateFile })
    expect(third.clock.now() - Date.now()).toBeGreaterThan(86_000_000)
  })

  it('is private, contains a line for each fact, and is compacted', async () => {
    const stateFile = await freshFile()
    const sim = await startSimulator({ stateFile, retainedEvents: 50, rateLimit: false })
    for (let count = 0; count < 21_000; count += 1) sim.emitModule({ module: 'journal' })
    const lines = await linesOf(stateFile)
    expect(lines.length).toBeLessThan(5000)
    expect(lines[0]).toEqual({ kind: 'simulator', version: 1, seed: 1 })
    const [last] = sim.moduleEvents().slice(-1)
    expect(lines.at(-1)).toEqual({ kind: 'module', app: 'app-1', event: last })
    if (process.platform !== 'win32') expect((await stat(stateFile)).mode & 0o777).toBe(0o600)
    await sim.close()
    await using again = await startSimulator({ stateFile, retainedEvents: 50 })
    expect(again.moduleEvents()).toEqual(sim.moduleEvents())
    const stream = await openModuleStream(again, {
      events: [{ eventType: 'JOURNAL', position: String(again.moduleEvents().at(-2)?.position) }],
    })
    expect((await take(stream, 2))[1]?.id).toBe(last?.id)
    stream.abort.abort()
  })

  it('loses only an incomplete last line', async () => {
    const stateFile = await freshFile()
    const first = await startSimulator({ stateFile })
    const kept = first.emitModule({ module: 'journal' })
    await first.close()
    const text = await readFile(stateFile, 'utf8')
    await writeFile(stateFile, `${text}{"kind":"module","app":"app-1","ev`)
    await using second = await startSimulator({ stateFile })
    expect(second.moduleEvents()).toEqual([kept])
    second.emitModule({ module: 'journal' })
    expect((await linesOf(stateFile)).at(-1)?.kind).toBe('module')
  })

  it('is rejected with line and reason if it is invalid, and nothing stays open', async () => {
    const stateFile = await freshFile()
    const start = (more: object = {}) => startSimulator({ stateFile, ...more })
    const first = await start()
    await expect(start()).rejects.toMatchObject({
      code: 'SIMULATOR_STATE_FAILED',
      details: { path: stateFile, reason: 'must not be open in another simulator of this process' },
    })
    await first.close()
    await expect(start({ seed: 2 })).rejects.toThrow(
      'line 1: seed must be 1, as when the file was created; received 2',
    )
    await expect(start({ appKey: 'another' })).rejects.toMatchObject({ details: { option: 'appKey' } })
    await (await start()).close()
    const text = await readFile(stateFile, 'utf8')
    for (const [line, reason] of [
      ['no JSON', 'must be JSON'],
      ['{"kind":"tokens"}', 'kind must be one of simulator, app, clock'],
      ['{"kind":"token","app":"app-1","token":7,"times":{}}', 'token must be a string; received 7'],
    ]) {
      await writeFile(stateFile, `${text}${line}\n`)
      await expect(start()).rejects.toMatchObject({
        code: 'SIMULATOR_STATE_INVALID',
        details: { line: text.split('\n').length, reason: expect.stringContaining(String(reason)) },
      })
    }
    await writeFile(stateFile, text)
    await writeFile(`${stateFile}.lock`, '1')
    await expect(start()).rejects.toThrow(
      `locked by process 1. If that is no simulator, delete ${stateFile}.lock`,
    )
    // Id of a process that does not exist.
    await writeFile(`${stateFile}.lock`, '999999999')
    await (await start()).close()
    if (process.platform !== 'win32') {
      await chmod(stateFile, 0o640)
      await expect(start()).rejects.toThrow('must have mode 600, because it contains secrets; received 640')
      await symlink(stateFile, `${stateFile}.link`)
      await expect(startSimulator({ stateFile: `${stateFile}.link` })).rejects.toMatchObject({
        code: 'SIMULATOR_STATE_FAILED',
      })
    }
    await expect(startSimulator({ stateFile: '' })).rejects.toMatchObject({
      details: { option: 'stateFile' },
    })
    await expect(startSimulator({ stateFile: tmpdir() })).rejects.toMatchObject({
      code: 'SIMULATOR_STATE_FAILED',
      details: { reason: 'EISDIR' },
    })
  })
})
