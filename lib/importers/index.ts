// The door of the room that reads what others wrote, and our own exports. Pure: lines in, events out.

export { isNativeExport, NativeImporter, type NativeStep } from './native.js'
