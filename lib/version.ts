// Kept equal to package.json by a test: reading that file at run time would cost every start.

export const PACKAGE_NAME = 'jsonl-session'
export const PACKAGE_VERSION = '0.1.0'
