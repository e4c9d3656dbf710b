/**
 * `pnpm test:state [--kills N] [--seed N]`: kills a simulator with SIGKILL at random instants while clients use it, starts
 * it again on its state file, and looks whether anything is gone that it had answered: tokens, customers, events, their
 * order and their cursors. `--kills` is 1000; the gate makes fifty.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { createSeededRandom } from '@brokerwire/core/testing'
import { createSigner, type Signer } from '@brokerwire/signer'
import { connectControl, type SimulatorControl } from '@brokerwire/simulator'
import { bundleProgram } from '@brokerwire/testing/bundle-program'

interface Service {
  readonly child: ChildProcess
  readonly httpUrl: string
  readonly signer: Signer
  readonly control: SimulatorControl
}

/** What was answered, and must be there after every restart. */
interface Answered {
  readonly tokens: string[]
  /** The latest pair of each user; one whose answer was lost in a kill may be newer, and is let go. */
  readonly pairs: Map<string, string>
  readonly events: { readonly id: string; readonly position: string }[]
  /** Creates that were refused: nothing here asks for what may be. */
  readonly refusals: string[]
}

/** So many lives have one file: on a fast machine more of them reach what the simulator keeps at most for an app. */
const LIVES_OF_A_FILE = 50

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '1000' }, seed: { type: 'string' } },
})
const kills = Number(values.kills)
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed)
if (!(Number.isSafeInteger(kills) && kills > 0) || !Number.isSafeInteger(seed)) {
  throw new Error('--kills: expected a whole number above 0; --seed: expected a whole number')
}
const random = createSeededRandom(seed)
console.log(`seed ${seed}`)

const folder = await mkdtemp(join(tmpdir(), 'brokerwire-state-'))
const program = join(folder, 'service.mjs')
const stateFile = join(folder, 'state.jsonl')
await bundleProgram(new URL('service-process.ts', import.meta.url), program)

async function start(): Promise<Service> {
  const child = spawn(process.execPath, [program, stateFile], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const [line] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => {
      throw new Error('the service did not start')
    }),
  ])) as [string]
  const told = JSON.parse(line) as Record<string, string>
  const { httpUrl = '', appKey = '', appSecret = '', controlUrl = '', controlToken = '' } = told
  return {
    child,
    httpUrl,
    signer: createSigner({ appKey, appSecret }),
    control: connectControl({ url: controlUrl, token: controlToken }),
  }
}

async function post(service: Service, path: string, json: object): Promise<Record<string, unknown>> {
  const body = JSON.stringify(json)
  const { host } = new URL(service.httpUrl)
  const { url, headers } = await service.signer.sign({ scheme: 'http', host, path, body })
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' })
  return (await response.json()) as Record<string, unknown>
}

/** Uses the service until it is gone. */
async function use(service: Service, answered: Answered, who: number): Promise<void> {
  for (;;) {
    try {
      const user = `user-${who}-${Math.floor(random() * 5)}`
      answered.pairs.delete(user)
      switch (Math.floor(random() * 3)) {
        case 0: {
          const answer = await post(service, '/auth/tokens/create', {})
          if (typeof answer.token === 'string') answered.tokens.push(answer.token)
          else answered.refusals.push(JSON.stringify(answer))
          break
        }
        case 1: {
          const pair = await post(service, '/auth/client-tokens/create', { client_user_id: user })
          if (typeof pair.refresh_token === 'string') answered.pairs.set(user, pair.refresh_token)
          else answered.refusals.push(JSON.stringify(pair))
          break
        }
        default: {
          const event = await service.control.emit({ module: { module: 'journal' } })
          if ('id' in event) answered.events.push({ id: event.id, position: event.position })
        }
      }
    } catch {
      return
    }
  }
}

/** What is gone. */
async function look(service: Service, answered: Answered): Promise<readonly string[]> {
  const lost = answered.refusals.splice(0).map((answer) => `a create was refused: ${answer}`)
  // Of many, some: those that were answered last, and some from before.
  const some = <T>(all: readonly T[]): ReadonlySet<T> =>
    new Set([
      ...all.slice(-5),
      ...Array.from({ length: Math.min(all.length, 3) }, () => all[Math.floor(random() * all.length)] as T),
    ])
  for (const token of some(answered.tokens)) {
    const { status } = await post(service, '/auth/tokens/check', { token })
    if (status !== 'NORMAL') lost.push(`a token is ${String(status)}`)
  }
  for (const [user, refresh_token] of some([...answered.pairs])) {
    const pair = await post(service, '/auth/client-tokens/refresh', { refresh_token })
    answered.pairs.delete(user)
    if (typeof pair.refresh_token === 'string') answered.pairs.set(user, pair.refresh_token)
    else lost.push(`the pair of ${user} is gone`)
  }
  const kept = await service.control.moduleEvents()
  const places = new Map(kept.map(({ id, position }, index) => [`${id} ${position}`, index]))
  for (const { id, position } of answered.events) {
    if (!places.has(`${id} ${position}`)) lost.push(`event ${id} is gone, or has another cursor`)
  }
  if (new Set(kept.map(({ id }) => id)).size !== kept.length) lost.push('an id came twice')
  return lost
}

const answered: Answered = { tokens: [], pairs: new Map(), events: [], refusals: [] }
const sum = { tokens: 0, customers: 0, events: 0 }
let broken = 0
let service = await start()
for (let kill = 1; kill <= kills; kill += 1) {
  const users = [1, 2, 3].map((who) => use(service, answered, who))
  await new Promise((resolve) => setTimeout(resolve, random() * 150))
  const gone = once(service.child, 'exit')
  service.child.kill('SIGKILL')
  await gone
  await Promise.all(users)
  service = await start()
  const lost = await look(service, answered)
  for (const what of lost) console.log(`after kill ${kill}: ${what}`)
  broken += lost.length
  if (kill % 100 === 0) console.log(`${kill} kills`)
  if (kill % LIVES_OF_A_FILE === 0 || kill === kills) {
    sum.tokens += answered.tokens.splice(0).length
    sum.events += answered.events.splice(0).length
    sum.customers += answered.pairs.size
    answered.pairs.clear()
    const over = once(service.child, 'exit')
    service.child.kill('SIGKILL')
    await over
    await rm(stateFile)
    service = await start()
  }
}
const gone = once(service.child, 'exit')
service.child.kill('SIGKILL')
await gone
await rm(folder, { recursive: true })
console.log(
  `${kills} kills, ${sum.tokens} tokens, ${sum.customers} customers, ${sum.events} events answered, ${broken} lost`,
)
process.exitCode = broken === 0 && sum.tokens > 0 && sum.events > 0 ? 0 : 1
