/** Starting and closing: cleanup after a failed start, and which plugins are loaded. */
import { execFile } from 'node:child_process'
import { channel } from 'node:diagnostics_channel'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startSimulator } from '../simulator.ts'
import { isSimulatorError } from '../simulator-error.ts'

/** Whether a simulator in this process still watches the sockets of clients. */
const isWatching = (): boolean => channel('net.client.socket').hasSubscribers

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return isFree
}

describe('a failed start leaves nothing open', () => {
  test('if the state file has another seed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'brokerwire-server-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const stateFile = join(folder, 'state.jsonl')
    await (await startSimulator({ stateFile, seed: 1 })).close()
    const error = await startSimulator({ stateFile, seed: 2 }).catch((reason: unknown) => reason)
    expect(isSimulatorError(error, 'SIMULATOR_STATE_INVALID')).toBe(true)
    expect(isWatching()).toBe(false)
    // The file is no longer locked.
    await (await startSimulator({ stateFile, seed: 1 })).close()
  })

  test('if the scenario throws', async () => {
    const httpPort = await freePort()
    const scenario = {
      [Symbol.iterator](): never {
        throw new Error('no steps')
      },
    }
    await expect(startSimulator({ httpPort, scenario })).rejects.toThrow('no steps')
    expect(isWatching()).toBe(false)
    expect(await canListen(httpPort)).toBe(true)
  })

  test('if a port is in use after the plugins were started', async () => {
    const [httpPort, mqttPort] = [await freePort(), await freePort()]
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void taken.close())
    const address = taken.address()
    const eventsPort = typeof address === 'object' && address !== null ? address.port : 0
    const options = { httpPort, eventsPort, quotes: { mqttPort }, control: true }
    const error = await startSimulator(options).catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'SIMULATOR_LISTEN_FAILED',
      details: { option: 'eventsPort', reason: 'EADDRINUSE' },
    })
    expect(isWatching()).toBe(false)
    expect({
      canListenHttpPort: await canListen(httpPort),
      canListenMqttPort: await canListen(mqttPort),
    }).toEqual({ canListenHttpPort: true, canListenMqttPort: true })
  })
})

test.each([
  [{}, []],
  [{ control: true }, []],
  [{ quotes: true }, ['mqtt-packet', 'ws']],
])('the options %j load the plugin libraries %j', async (options, libraries) => {
  const program = fileURLToPath(new URL('../test/loaded-plugins.ts', import.meta.url))
  const args = ['--import', 'tsx', '--conditions=@brokerwire/source', program, JSON.stringify(options)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 55_000 })
  expect(JSON.parse(stdout)).toEqual(libraries)
})

test('the methods of a simulator work without their object', async () => {
  const simulator = await startSimulator()
  const { app, advance, startScenario, stopScenario, state, close } = simulator
  startScenario('lifecycles-forever', { intervalMs: 1000 })
  expect(state()).toMatchObject({ scenarioRunning: true })
  expect(await advance(1000)).toMatchObject({ scenarioSteps: 1 })
  stopScenario()
  expect(state()).toMatchObject({ scenarioRunning: false })
  expect(app('app-1').credentials).toEqual(simulator.credentials)
  await close()
  expect(() => startScenario()).toThrow(expect.objectContaining({ code: 'SIMULATOR_CLOSED' }))
})
