/** The server and the clients of a benchmark, and runs of one client with the server. */
import type { Start } from '../programs.ts'
import { blockOf } from './blocks.ts'
import type { ClientCommands, ClientName, Task } from './client-process.ts'
import type { Plan } from './plan.ts'
import type { ServerCommands } from './server-process.ts'

type ClientReport = Awaited<ReturnType<ClientCommands['run']>>

/** Reports of client and server about one run. */
export interface Run extends ClientReport {
  readonly sent: number
  readonly serverCpuSeconds: number
}

export interface Client {
  run(plan: Plan): Promise<Run>
  end(): Promise<void>
}

export type OpenClient = (name: ClientName, task: Task) => Promise<Client>

/** Starts the server. Returns a function that starts a client of this server. */
export async function startServer(start: Start): Promise<OpenClient> {
  const server = await start<ServerCommands>(new URL('server-process.ts', import.meta.url))
  const port = await server.call('port')
  return async (name, task) => {
    const client = await start<ClientCommands>(new URL('client-process.ts', import.meta.url))
    await client.call('open', name, task, port)
    return {
      async run(plan) {
        const sent =
          plan.kind === 'blast' ? plan.blocks * blockOf(plan.shape, plan.service).messages : plan.messages
        const before = await server.call('prepare', plan)
        const report = await client.call('run', sent)
        const after = await server.call('prepare', plan)
        requireComplete(name, plan, sent, report)
        return { ...report, sent, serverCpuSeconds: (after - before) / 1e6 }
      },
      end: () => client.kill(),
    }
  }
}

/** Fails if the client has not received everything. */
function requireComplete(name: string, plan: Plan, sent: number, { messages, size }: ClientReport): void {
  if (messages !== undefined && messages !== sent) {
    throw new Error(`${name}: received ${messages} of ${sent} messages`)
  }
  if (plan.kind !== 'blast') return
  const { payloadChars, dataBytes } = blockOf(plan.shape, plan.service)
  const expected = plan.blocks * (messages === undefined ? dataBytes : payloadChars)
  if (size !== expected) throw new Error(`${name}: received ${size} of ${expected} bytes`)
}
