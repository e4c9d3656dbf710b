/** Plugin for the option `control`: the server for other processes on this machine. */
import type { Secret } from '@brokerwire/core'
import { LOOPBACK } from '../listen.ts'
import type { SimulatorCore } from '../server/core.ts'
import type { SimulatorPlugin } from '../server/plugin.ts'
import { executeCall } from './control-calls.ts'
import { createControlServer } from './control-server.ts'

/** @param token - Bearer token of the server. */
export function createControlPlugin(
  { listeners, receiveBody, settings }: SimulatorCore,
  token: Secret,
): SimulatorPlugin {
  return {
    async start(simulator) {
      const server = createControlServer({
        token,
        receiveBody,
        execute: (call, body) => executeCall(simulator, call, body),
      })
      await listeners.open('control', server, {
        port: settings.controlPort,
        option: 'controlPort',
        address: LOOPBACK,
      })
    },
    close: () => undefined,
  }
}
