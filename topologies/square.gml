# A square with a diagonal.
graph [
  directed 0
  node [ id 1 label "north" graphics [ x 0.0 y 1.0 ] ]
  node [ id 2 label "east" ]
  node [ id 3 label "south &amp; more" ]
  node [ id 4 label "west" ]
  edge [ source 1 target 2 ]
  edge [ source 2 target 3 ]
  edge [ source 3 target 4 ]
  edge [ source 4 target 1 ]
  edge [ source 1 target 3 capacity 2 ]
]
