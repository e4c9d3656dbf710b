#!/usr/bin/env node
/**
 * Entry of the command. It is in the repository, so that a fresh clone can link it before anything is built.
 * In a checkout it runs the sources, in an installed package `dist`.
 */
import { existsSync } from 'node:fs'

const inCheckout = existsSync(new URL('../tsconfig.build.json', import.meta.url))
if (inCheckout) await import('./from-source.js')
const { main } = await import(inCheckout ? '../src/main.ts' : '../dist/main.js')
await main(process.argv)
