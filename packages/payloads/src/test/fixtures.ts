/** The wire messages of the test data. */
import wireMessages from '../../../../testdata/fixtures/wire-messages.json' with { type: 'json' }
import type { ModuleFrame } from '../modules/module-frames.ts'
import type { TradeFrame } from '../trade-frames.ts'

interface Named {
  readonly name: string
}

interface WireMessage extends Named {
  readonly service: string
  readonly message: unknown
}

const messages: readonly WireMessage[] = wireMessages.messages

/** Frames of the trade and position streams. */
export const TRADE_FRAMES: readonly (Named & { readonly frame: TradeFrame })[] = messages
  .filter(({ service }) => service === 'trade')
  .map(({ name, message }) => ({ name, frame: message as TradeFrame }))

/** Frames of the module stream, with their kind: 2 is an event. */
export const MODULE_FRAMES: readonly (Named & { readonly frame: ModuleFrame & { readonly type: number } })[] =
  messages
    .filter(({ service }) => service === 'module')
    .map(({ name, message }) => ({ name, frame: message as ModuleFrame & { readonly type: number } }))

/** The only trade frame with this name, or the first one. */
export function tradeFrame(name: string): TradeFrame {
  const found = TRADE_FRAMES.find((item) => item.name === name)
  if (found === undefined) throw new Error(`no trade frame named ${name}`)
  return found.frame
}

/** The only module frame with this name, or the first one. */
export function moduleFrame(name: string): ModuleFrame {
  const found = MODULE_FRAMES.find((item) => item.name === name)
  if (found === undefined) throw new Error(`no module frame named ${name}`)
  return found.frame
}
