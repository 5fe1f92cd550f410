"""Client libraries of the interface, and the emitter that writes their generated parts."""
