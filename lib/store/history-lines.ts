// All lines of the history in one stream, over all its files.
//
// From the end it opens a file only when the newer ones are through, so the last prompts of a
// gigabyte cost what they cost in a short history. From the beginning all files are opened at
// first, because the way to the oldest leads past the others.

import { closeSync } from 'node:fs'
import { type LogEntry, type ReadLogOptions, readLog, readLogBackward } from '../log/index.js'
import { type HistoryFile, openNewest, openOlder } from './history-files.js'

export interface HistoryLine {
  readonly entry: LogEntry
  readonly file: string
}

const BARE: ReadLogOptions = { isBare: true }

/** Newest first. What is written after the first look is for the next reader. */
export async function* readHistoryBackward(livePath: string): AsyncGenerator<HistoryLine> {
  let file = openNewest(livePath)
  try {
    while (file !== undefined) {
      for await (const entry of readLogBackward(file, BARE)) yield { entry, file: file.path }
      const older = openOlder(livePath, file)
      closeSync(file.fd)
      file = older
    }
  } finally {
    if (file !== undefined) closeSync(file.fd)
  }
}

/** Oldest first. */
export async function* readHistoryForward(livePath: string): AsyncGenerator<HistoryLine> {
  const files: HistoryFile[] = []
  try {
    openAll(livePath, files)
    for (const file of files.toReversed()) {
      for await (const entry of readLog(file, BARE)) yield { entry, file: file.path }
    }
  } finally {
    for (const { fd } of files) closeSync(fd)
  }
}

/** Fills the list as it goes, so that whoever made it can close what was opened before a failure. */
function openAll(livePath: string, files: HistoryFile[]): void {
  let file = openNewest(livePath)
  while (file !== undefined) {
    files.push(file)
    file = openOlder(livePath, file)
  }
}
