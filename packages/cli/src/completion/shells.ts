/** Shells with a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** One of these shells. */
export type Shell = (typeof SHELLS)[number]
