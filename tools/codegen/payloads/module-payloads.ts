/** The payloads of modules, each with the exported name of its decoder. */
import type { Definition } from '../../../packages/payloads/src/definition.ts'
import * as payloads from '../../../packages/payloads/src/index.ts'
import { MODULE_DECODERS } from '../../../packages/payloads/src/modules/module-decoders.ts'
import { MODULES, type ModuleName } from '../../../packages/payloads/src/modules/module-table.ts'

export interface ModulePayload {
  readonly module: ModuleName
  readonly eventType: string
  readonly bizType: string
  /** Exported name of the decoder. */
  readonly decoder: string
  readonly definition: Definition
}

/** Returns the exported name of a decoder. */
function exportedName(decoder: unknown): string {
  const found = Object.entries(payloads).find(([, value]) => value === decoder)
  if (found === undefined) throw new Error('a decoder is not exported')
  return found[0]
}

export const MODULE_PAYLOADS: readonly ModulePayload[] = Object.entries(MODULE_DECODERS).flatMap(
  ([name, decoders]) => {
    const module = name as keyof typeof MODULE_DECODERS
    const [eventType] = MODULES[module].eventTypes
    return Object.entries(decoders).map(([bizType, decoder]) => ({
      module,
      eventType,
      bizType,
      decoder: exportedName(decoder),
      definition: decoder.definition,
    }))
  },
)
