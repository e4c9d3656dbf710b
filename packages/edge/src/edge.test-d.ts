/** Types of the result of `createBrokerage`, depending on the plugins. This file is compiled, but not run. */
import type { ClientTokens } from '@brokerwire/tokens'
import { expectTypeOf } from 'vitest'
import {
  clientTokens,
  createBrokerage,
  type EdgeBrokerage,
  type EdgeBrokerageOptions,
  type EdgePlugin,
  rateLimiter,
} from './index.ts'

declare const options: EdgeBrokerageOptions
declare const base: Omit<EdgeBrokerageOptions, 'plugins'>
declare const plugins: EdgePlugin[]

const withBoth = createBrokerage({ ...base, plugins: [clientTokens(), rateLimiter()] })
expectTypeOf(withBoth.clientTokens).toEqualTypeOf<ClientTokens>()

expectTypeOf(createBrokerage(base)).toEqualTypeOf<EdgeBrokerage>()
expectTypeOf(createBrokerage({ ...base, plugins: [rateLimiter()] })).toEqualTypeOf<EdgeBrokerage>()

// If the plugins are unknown, the property is optional.
expectTypeOf(createBrokerage(options).clientTokens).toEqualTypeOf<ClientTokens | undefined>()
expectTypeOf(createBrokerage({ ...base, plugins }).clientTokens).toEqualTypeOf<ClientTokens | undefined>()
