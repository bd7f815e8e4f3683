"""`vfcc prove`: whether the tests of a change fail without it."""
