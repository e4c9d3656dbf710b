/**
 * Lets this process load the workspace's TypeScript: tsx for the syntax, and the export condition under which every
 * package of the workspace points at its sources. Not part of the published package.
 */
import * as module from 'node:module'
import { register } from 'tsx/esm/api'
import { resolve } from './source-condition.js'

register()
// Older Node has only the hook that runs in a thread of its own; newer ones deprecate it.
if (typeof module.registerHooks === 'function') module.registerHooks({ resolve })
else module.register('./source-condition.js', import.meta.url)
