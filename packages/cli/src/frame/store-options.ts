/** Options of commands that use the stored token. */
import type { OptionDefinition } from './definition.ts'
import { REQUEST_OPTIONS, settingOptions } from './setting-options.ts'

/** Options of the store and of the token's identity. */
export const STORE_OPTIONS: readonly OptionDefinition[] = [...settingOptions('store'), ...REQUEST_OPTIONS]

export const REVEAL_OPTION: OptionDefinition = { flags: '--reveal', help: 'also print the token' }
