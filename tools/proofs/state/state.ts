/**
 * `pnpm proof state [--kills N]`: a simulator with a state file is killed with SIGKILL at random moments and
 * started again. Everything that a response has confirmed must still be there: tokens, customers, events,
 * their order and their cursors.
 */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSigner, type Signer } from '@brokerwire/signer'
import { connectControl, type SimulatorControl } from '@brokerwire/simulator'
import { type Child, startChild } from '@brokerwire/testing/child'
import type { Case, Proof } from '../harness.ts'
import type { Random } from '../random.ts'
import type { ServiceCommands } from '../service-process.ts'
import { until } from '../wait.ts'
import type { LockCommands } from './lock-process.ts'

interface Service {
  readonly child: Child<ServiceCommands>
  readonly baseUrl: string
  readonly signer: Signer
  readonly control: SimulatorControl
}

/** Responses of the service, recorded by the clients. */
interface Answered {
  readonly tokens: string[]
  /**
   * The refresh token of each user. A user is removed before each of its requests, because a kill may lose
   * the response.
   */
  readonly pairs: Map<string, string>
  readonly events: { readonly id: string; readonly position: string }[]
  /** Create requests that were rejected. The service must reject none of them. */
  readonly rejections: string[]
}

/**
 * Number of kills before a new file is used, because a simulator stores a limited number of tokens and events
 * of an app.
 */
const KILLS_OF_A_FILE = 50

async function start(stateFile: string): Promise<Service> {
  const child = await startChild<ServiceCommands>(new URL('../service-process.ts', import.meta.url))
  const options = { stateFile, environment: 'sandbox', rateLimit: false, control: true } as const
  const { baseUrl, appKey, appSecret, controlUrl, controlToken } = await child.call('start', options)
  const control = connectControl({ url: controlUrl, token: controlToken })
  return { child, baseUrl, signer: createSigner({ appKey, appSecret }), control }
}

async function post(service: Service, path: string, json: object): Promise<Record<string, unknown>> {
  const body = JSON.stringify(json)
  const { host } = new URL(service.baseUrl)
  const { url, headers } = await service.signer.sign({ scheme: 'http', host, path, body })
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' })
  return (await response.json()) as Record<string, unknown>
}

/** Sends requests until the service is killed. */
async function use(service: Service, answered: Answered, client: number, random: Random): Promise<void> {
  for (;;) {
    try {
      const user = `user-${client}-${random.integer(0, 4)}`
      answered.pairs.delete(user)
      const kind = random.integer(0, 2)
      if (kind === 0) {
        const answer = await post(service, '/auth/tokens/create', {})
        if (typeof answer.token === 'string') answered.tokens.push(answer.token)
        else answered.rejections.push(JSON.stringify(answer))
      } else if (kind === 1) {
        const pair = await post(service, '/auth/client-tokens/create', { client_user_id: user })
        if (typeof pair.refresh_token === 'string') answered.pairs.set(user, pair.refresh_token)
        else answered.rejections.push(JSON.stringify(pair))
      } else {
        const event = await service.control.emit({ module: { module: 'journal' } })
        if ('id' in event) answered.events.push({ id: event.id, position: event.position })
      }
    } catch {
      return
    }
  }
}

/**
 * Compares the service's state with its responses.
 *
 * @returns The differences.
 */
async function verify(service: Service, answered: Answered, random: Random): Promise<readonly string[]> {
  const lost = answered.rejections.splice(0).map((answer) => `a create was rejected: ${answer}`)
  /** Selects the last responses, and some earlier ones. */
  const sample = <T>(all: readonly T[]): ReadonlySet<T> =>
    new Set([...all.slice(-5), ...random.list(Math.min(all.length, 3), () => random.pick(all))])
  for (const token of sample(answered.tokens)) {
    const { status } = await post(service, '/auth/tokens/check', { token })
    if (status !== 'NORMAL') lost.push(`a token is ${String(status)}`)
  }
  for (const [user, refresh_token] of sample([...answered.pairs])) {
    const pair = await post(service, '/auth/client-tokens/refresh', { refresh_token })
    answered.pairs.delete(user)
    if (typeof pair.refresh_token === 'string') answered.pairs.set(user, pair.refresh_token)
    else lost.push(`the refresh token of ${user} is gone`)
  }
  const kept = await service.control.moduleEvents()
  const cursors = new Set(kept.map(({ id, position }) => `${id} ${position}`))
  for (const { id, position } of answered.events)
    if (!cursors.has(`${id} ${position}`)) lost.push(`event ${id} is gone, or has another cursor`)
  if (new Set(kept.map(({ id }) => id)).size !== kept.length) lost.push('two events have the same id')
  return lost
}

const killed = (kills: number): Case => ({
  name: 'killed at random moments',
  promise: 'the state after a restart contains everything that a response before the kill confirmed',
  async run({ folder, random, fail, print, atEnd }) {
    const stateFile = join(folder, 'state.jsonl')
    const answered: Answered = { tokens: [], pairs: new Map(), events: [], rejections: [] }
    const sum = { tokens: 0, customers: 0, events: 0 }
    let service = await start(stateFile)
    atEnd(() => service.child.kill())
    for (let kill = 1; kill <= kills; kill += 1) {
      const clients = [1, 2, 3].map((client) => use(service, answered, client, random))
      // Waits for the first responses, which take longer on a busy machine.
      const { tokens, events } = answered
      if (kill === 1) await until('answers', () => (tokens.length > 0 && events.length > 0) || undefined)
      await sleep(random.next() * 150)
      await service.child.kill()
      await Promise.all(clients)
      service = await start(stateFile)
      for (const what of await verify(service, answered, random)) fail(`after kill ${kill}: ${what}`)
      if (kill % 100 === 0) print(`${kill} kills`)
      if (kill % KILLS_OF_A_FILE !== 0 && kill !== kills) continue
      sum.tokens += answered.tokens.splice(0).length
      sum.events += answered.events.splice(0).length
      sum.customers += answered.pairs.size
      answered.pairs.clear()
      await service.child.kill()
      await rm(stateFile)
      service = await start(stateFile)
    }
    if (sum.tokens === 0 || sum.events === 0) fail('the service sent no response')
    return { kills, ...sum }
  },
})

const PROCESSES = 4
/** Greater than any process id. */
const NO_PROCESS = '999999999'

const takeOver: Case = {
  name: 'lock of a killed process',
  promise: 'if several processes find it, exactly one of them acquires it',
  async run({ folder, check, atEnd, short }) {
    const rounds = short ? 50 : 200
    const program = new URL('lock-process.ts', import.meta.url)
    const children = await Promise.all(
      Array.from({ length: PROCESSES }, () => startChild<LockCommands>(program)),
    )
    atEnd(() => Promise.all(children.map((child) => child.kill())))
    for (let round = 0; round < rounds; round += 1) {
      const file = join(folder, `state-${round}`)
      await writeFile(`${file}.lock`, round % 2 === 0 ? NO_PROCESS : '')
      const answers = await Promise.all(children.map((child) => child.call('lock', file)))
      const rejections = answers.filter((answer) => answer !== 'held')
      check(
        rejections.length === PROCESSES - 1,
        `round ${round}: ${PROCESSES - rejections.length} processes hold it`,
      )
      for (const refusal of rejections) check(/is locked by process \d+/.test(refusal), refusal)
      await Promise.all(children.map((child) => child.call('unlock')))
    }
    return { rounds, processes: PROCESSES }
  },
}

export const proof: Proof = {
  flags: { kills: 'kills of the simulator (1000; short: 5)' },
  cases: ({ flag }) => [killed(flag('kills', 1000, 5)), takeOver],
}
